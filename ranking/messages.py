"""Messages: what each finding means and what to do about it, in English; the portal translates by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Message:
    """A finding in words: ``sentence`` says what is so, ``action`` what the submitter can do."""

    sentence: str
    action: str


def message(id: str) -> Message:
    """The message of finding ``id``. Raises KeyError for an id that no rule has."""
    return MESSAGES[id]


_AS_WRITTEN: Final = "Submit the bundle exactly as `vflops run` wrote it, and compare its SHA-256 after copying."
_RUN_AGAIN: Final = "Run again with an unmodified `vflops run`, and submit the new bundle."
_REPORT_IT: Final = "If an unmodified `vflops run` wrote this bundle, report it as a fault of the runner."
_NOTHING: Final = "Nothing to do."
_REVIEW: Final = (
    "Nothing to do now: a hold waits for an auditor, who may ask how the runs were made; a note is only shown."
)
_QUIET: Final = "Run on a machine that does nothing else, and look at the load average in the log."

_CONTAINER: Final = {
    "container.unreadable": ("The file cannot be opened or read.", "Check the path and its permissions."),
    "container.too_large": ("The file is larger than a bundle may be.", _AS_WRITTEN),
    "container.too_many_entries": ("The archive holds more entries than a bundle may have.", _AS_WRITTEN),
    "container.entry_too_large": ("An entry is larger than entries of its kind may be.", _AS_WRITTEN),
    "container.not_zip": ("The file is no bundle: it does not begin as one.", "Give the .vflops file of a run set."),
    "container.not_canonical": ("The archive differs from the one form that a bundle has.", _AS_WRITTEN),
    "container.compressed": ("An entry is compressed; the entries of a bundle are stored.", _AS_WRITTEN),
    "container.link": ("An entry is a symbolic link.", _AS_WRITTEN),
    "container.unsafe_name": ("An entry's name leaves the bundle or is no plain name.", _AS_WRITTEN),
    "container.duplicate_name": ("Two entries have one name.", _AS_WRITTEN),
    "container.unexpected_entry": ("The archive holds an entry that a bundle does not have.", _AS_WRITTEN),
    "container.missing_entry": ("A file of the run set is missing from the archive.", _AS_WRITTEN),
    "container.order": ("Entries are not in the order of a bundle.", _AS_WRITTEN),
    "container.checksum": ("An entry's contents differ from its checksum.", _AS_WRITTEN),
    "container.truncated": ("The archive ends too early.", "Copy or upload the file again; it is not whole."),
    "container.trailing_bytes": ("Bytes follow the end of the archive.", _AS_WRITTEN),
    "container.not_safetensors": ("A checkpoint is no safetensors file; nothing else is accepted.", _RUN_AGAIN),
}

_STATEMENT: Final = {
    "statement.envelope": ("The statement's envelope is not a DSSE envelope of format 1.", _AS_WRITTEN),
    "statement.not_canonical": ("The statement is not in its one byte form.", _AS_WRITTEN),
    "statement.type": ("The statement is of a type that this verifier does not know.", "Update the verifier."),
    "statement.field": ("A field of the statement is missing, unknown or wrong.", _RUN_AGAIN),
    "statement.key_id": ("The key id is not the digest of the key that the statement names.", _AS_WRITTEN),
    "statement.signature": ("The signature does not fit the statement and its key.", _AS_WRITTEN),
    "statement.subject": ("The statement's list of files is not the list of files in the archive.", _AS_WRITTEN),
    "statement.digest": ("A file is not the one that the statement was signed over.", _AS_WRITTEN),
}

_SCHEMA: Final = {
    "schema.not_utf8": ("A file is not UTF-8.", _RUN_AGAIN),
    "schema.not_json": ("A line or file is not JSON.", _RUN_AGAIN),
    "schema.too_deep": ("JSON is nested deeper than any document of a bundle.", _RUN_AGAIN),
    "schema.duplicate_key": ("A JSON object has one key twice.", _RUN_AGAIN),
    "schema.not_finite": ("A number is not finite.", _RUN_AGAIN),
    "schema.number_range": ("A number is too large to be exact.", _RUN_AGAIN),
    "schema.not_canonical": ("JSON is not in its one byte form (RFC 8785).", _RUN_AGAIN),
    "schema.line_too_long": ("A line is longer than any line of a log or of telemetry.", _RUN_AGAIN),
    "schema.too_many_values": ("A line holds more values than any line of a log or of telemetry.", _RUN_AGAIN),
    "schema.line_ending": ("A line does not end with a line feed alone.", _RUN_AGAIN),
    "schema.log_prefix": ("A line of the log does not begin with MLPerf's prefix.", _RUN_AGAIN),
    "schema.field": ("A field is missing, unknown or wrong.", _RUN_AGAIN),
    "schema.empty": ("A file that has to say something is empty.", _RUN_AGAIN),
    "schema.many_faults": ("There are more findings of this kind than are listed.", "Repair the listed ones first."),
    "schema.unknown_workload": (
        "No definition has this workload's name, scale and version.",
        "See `vflops list` for those that exist, and update vflops if yours is newer.",
    ),
    "schema.missing_key": ("The log lacks a line that every log has.", _RUN_AGAIN),
    "schema.repeated_key": ("A line that may stand once in a log stands there more often.", _RUN_AGAIN),
    "schema.namespace": ("A key of the log stands under a namespace that is not its own.", _RUN_AGAIN),
    "schema.key_order": ("The lines of the log are not in the order of a run.", _RUN_AGAIN),
    "schema.value": ("A line of the log has a value or metadata of the wrong kind.", _RUN_AGAIN),
    "schema.begin": ("The log says that it belongs to another run set.", "Pack the logs that these runs wrote."),
    "schema.system": ("A field of the system description is missing or wrong.", _RUN_AGAIN),
    "schema.event_type": ("A line of the log is marked as another kind of event than its key is.", _RUN_AGAIN),
    "schema.submission": ("The log names another workload or system than the statement.", _RUN_AGAIN),
    "schema.system_differs": ("The system description contradicts itself or the statement.", _RUN_AGAIN),
    "schema.unknown_key": ("The log has keys that no rule reads; they change nothing.", _NOTHING),
}

_CHAIN: Final = {
    "chain.sequence": ("The numbers of the lines are not one after the other.", _RUN_AGAIN),
    "chain.link": ("A line does not follow from the line before: something was changed between.", _RUN_AGAIN),
    "chain.head": ("The chain does not end where the statement says.", _AS_WRITTEN),
}

_TICKET: Final = {
    "ticket.none": ("Seeds are the run set's own: nothing shows how many sets were run before this one.", _NOTHING),
    "ticket.own_seeds": ("A seed does not follow from the bundle's nonce.", "Leave the seeds to `vflops run`."),
    "ticket.missing": ("Seeds are said to come from a ticket, and there is none.", "Run without naming a ticket."),
}

_TIME: Final = {
    "time.run_interval": ("The run stops before it starts.", _REPORT_IT),
    "time.backwards": ("The clock runs backwards between two lines of the log.", _REPORT_IT),
    "time.telemetry_backwards": ("The clock runs backwards between two samples of telemetry.", _REPORT_IT),
    "time.evaluation": ("An evaluation took no time.", _REPORT_IT),
    "time.preparation": (
        "Preparation took longer than is allowed before the timed interval.",
        "Prepare the dataset before the run, or compile less.",
    ),
    "time.runs_overlap": (
        "A run began before the run before it had ended.",
        "Run the seeds of a set one after the other, on a machine whose date does not step.",
    ),
    "time.restarted": (
        "A run was begun anew from its start; the time of its first try is lost and told here.",
        "Let the runs of a set go through without interruption where you can.",
    ),
    "time.created": (
        "The statement says that it was begun after its runs.",
        "Let a time server set the clock before the run, and keep it from stepping.",
    ),
    "time.parts": ("An interval was spent on more seconds than it has by the log's clock.", _RUN_AGAIN),
    "time.telemetry_order": ("Telemetry and log tell two times: samples lie on the wrong side of a line.", _RUN_AGAIN),
    "time.telemetry_period": ("Telemetry lies closer together than it is ever sampled.", _REVIEW),
    "time.clock_step": (
        "The machine's date stepped or drifted against its uptime during a run.",
        "Let a time server set the clock before the run, and keep it from stepping.",
    ),
}

_LEVEL: Final = {
    "level.configuration": (
        "This configuration is not allowed at this level.",
        "Submit at level system, or run with fp32, in the released memory format and without compilation.",
    ),
    "level.overridden_precision": (
        "The environment turned TF32 on beneath a run that states fp32.",
        "Unset the variable, or submit at level system with precision tf32.",
    ),
    "level.layers": ("A layer was changed that this level does not allow.", "Submit at the level that allows it."),
    "level.global_batch_size": (
        "The global batch size is larger than the learning-rate rule reaches.",
        "Use a smaller batch, or submit at level free.",
    ),
    "level.learning_rate": (
        "The base learning rate does not follow from the global batch size by the workload's rule.",
        "Leave it to the released code, or submit at level free.",
    ),
    "level.hyperparameter": (
        "A hyper-parameter is not the recipe's.",
        "Leave it to the released code, or submit at level free.",
    ),
    "level.extra_hyperparameter": (
        "The log sets a hyper-parameter that the recipe does not have.",
        "Leave them to the released code, or submit at level free.",
    ),
    "level.schedule": (
        "The learning rate's schedule, or how gradients are gathered, is not the recipe's.",
        "Leave it to the released code, or submit at level free.",
    ),
    "level.undeclared": (
        "The configuration changes a layer that the statement does not name as changed.",
        "Name every layer that was changed.",
    ),
    "level.checkpoint_precision": (
        "A checkpoint has weights that are narrower than the stated precision.",
        "Submit at level system, with the precision that was used.",
    ),
}

_COUNTS: Final = {
    "counts.runs": ("The set does not have as many runs as the workload asks for.", "Submit all runs of one set."),
    "counts.equal_seeds": ("Two runs have one seed.", _RUN_AGAIN),
    "counts.seed_differs": ("The seed in the log is not the seed in the statement.", _RUN_AGAIN),
    "counts.equal_logs": ("Two runs tell the same course.", "Submit five runs, not copies of one."),
    "counts.equal_weights": (
        "Two checkpoints of the set have the same weights.",
        "Submit five runs, not copies of one.",
    ),
    "counts.evaluation_schedule": (
        "Evaluations are not where the workload's schedule puts them.",
        "Evaluate at each point of the schedule and nowhere else.",
    ),
    "counts.eval_samples": (
        "An evaluation did not cover the whole evaluation set.",
        "Evaluate on every sample of the set, once each.",
    ),
    "counts.dataset": ("The dataset's size is not the workload's.", "Use the dataset as published."),
    "counts.global_batch_size": ("The batch in the log is not the batch in the statement.", _RUN_AGAIN),
    "counts.total_samples": (
        "A run did not train its whole epoch budget, or trained more.",
        "Train exactly the budget; a better quality later does not count.",
    ),
    "counts.interval": ("An interval and its evaluation name different sample counts.", _REPORT_IT),
    "counts.progress": ("Trained samples decrease within a run.", _REPORT_IT),
    "counts.steps": ("Progress stands where no step of this batch ends.", _RUN_AGAIN),
    "counts.epoch": ("An evaluation's epoch is not its samples over the dataset's.", _REPORT_IT),
    "counts.block": ("A line of an interval names other samples than those at which it begins or ends.", _REPORT_IT),
    "counts.checkpoint_position": ("A checkpoint stands for another workload, run or moment.", _RUN_AGAIN),
    "counts.checkpoint_tensors": ("A checkpoint does not hold the tensors of the set's network.", _RUN_AGAIN),
    "counts.equal_telemetry": ("Two runs have the same telemetry.", "Submit five runs, not copies of one."),
    "counts.checkpoint_schedule": ("An evaluation has no checkpoint.", _RUN_AGAIN),
    "counts.checkpoint_missing": ("A checkpoint that the log vouches for is not in the bundle.", _AS_WRITTEN),
    "counts.checkpoint_differs": ("A checkpoint is not the one that the log vouches for.", _RUN_AGAIN),
    "counts.checkpoint_unlogged": ("The bundle holds a checkpoint that the log does not know.", _RUN_AGAIN),
    "counts.telemetry_head": ("Telemetry is not the one that the log vouches for.", _RUN_AGAIN),
}

_QUALITY: Final = {
    "quality.out_of_range": ("A quality lies outside its metric's range.", _REPORT_IT),
    "quality.not_a_count": ("An accuracy is no whole number of evaluated samples.", _RUN_AGAIN),
    "quality.missing": ("A run that succeeded has no quality at its end.", _RUN_AGAIN),
    "quality.aborted": ("A run did not end as it should: it ranks as worst and is shown.", _NOTHING),
    "quality.below_floor": ("A run stayed below nine tenths of the target: it ranks as worst and is shown.", _NOTHING),
    "quality.too_many_useless": (
        "More than one run aborted or stayed below nine tenths of the target.",
        "Look at the curves: training did not work on this system as configured.",
    ),
    "quality.no_score": ("The set has no score.", "See the other findings; without them there would be one."),
    "quality.jump": ("Quality changes late in a run more than it does in calibration runs.", _REVIEW),
    "quality.negative_loss": ("A loss is negative, which a cross-entropy never is.", _REPORT_IT),
    "quality.beyond_loss": ("A final quality is better than its loss supports.", _RUN_AGAIN),
    "quality.beyond_reference": ("A final quality is better than this recipe reaches.", _REVIEW),
    "quality.loss_differs": ("An evaluation's loss is lower than its accuracy allows.", _RUN_AGAIN),
}

_REPEATABILITY: Final = {
    "repeatability.flops": ("FLOPS vary between the runs more than speed does on a quiet machine.", _QUIET),
    "repeatability.quality": ("Final quality varies between the runs more than calibration runs do.", _REVIEW),
    "repeatability.epochs": ("Epochs to target vary between the runs more than calibration runs do.", _REVIEW),
    "repeatability.too_good": ("Final quality is better than reference runs reach by chance.", _REVIEW),
    "repeatability.too_early": ("The target is reached earlier than reference runs reach it by chance.", _REVIEW),
    "repeatability.not_calibrated": (
        "This workload has no calibration runs yet; spread of quality is not judged.",
        _NOTHING,
    ),
}

_PLAUSIBILITY: Final = {
    "plausibility.no_device": ("The system description names no device that trains.", _REPORT_IT),
    "plausibility.unknown_device": (
        "The device is not in the vocabulary, so its share of peak is not shown.",
        "Nothing to do: an auditor adds it, with its vendor's figures.",
    ),
    "plausibility.over_peak": (
        "A run is faster than its devices can be at this precision.",
        "Check the number of devices and the precision that the bundle states.",
    ),
    "plausibility.evaluation": (
        "An evaluation is faster than its forward passes can be on these devices.",
        "Check the number of devices and the precision that the bundle states.",
    ),
    "plausibility.power": (
        "Mean power is above the devices' default limit, or next to nothing.",
        "If the limit was raised, say so to the auditor; otherwise check the number of devices.",
    ),
    "plausibility.telemetry_gap": (
        "Telemetry has a gap within the timed interval.",
        "Leave the runner a core to sample with, and keep the machine from suspending.",
    ),
    "plausibility.no_utilisation": (
        "Telemetry has no reading of the devices' utilisation within the timed interval.",
        "Install the driver's management library, so that telemetry can show that they trained.",
    ),
    "plausibility.idle_device": (
        "The devices were idle throughout a run that they are said to have trained.",
        _REVIEW,
    ),
    "plausibility.device_count": (
        "Telemetry has another number of devices than the system description.",
        _REVIEW,
    ),
    "plausibility.hidden_device": (
        "Checkpoints hold an accelerator's state, and the system description names none.",
        _REVIEW,
    ),
    "plausibility.reading": ("A reading of telemetry is no such quantity.", _REPORT_IT),
    "plausibility.counter": ("An energy counter ran backwards.", _REVIEW),
    "plausibility.energy_differs": ("An energy counter and the power that was read do not agree.", _REVIEW),
}

_KEY: Final = {
    "key.unknown": (
        "No organisation has registered the key that signed this bundle.",
        "Register it with `vflops keys register`, then submit the bundle again.",
    ),
    "key.other_organisation": (
        "The bundle names, or its key belongs to, another organisation.",
        "Submit for the organisation that the key belongs to.",
    ),
    "key.revoked": (
        "The key had been revoked when the bundle was received.",
        "Sign with a key that counts: register a new one and run again.",
    ),
}

MESSAGES: Final[Mapping[str, Message]] = {
    name: Message(*words)
    for family in (
        _CONTAINER,
        _STATEMENT,
        _SCHEMA,
        _CHAIN,
        _TICKET,
        _TIME,
        _LEVEL,
        _COUNTS,
        _QUALITY,
        _REPEATABILITY,
        _PLAUSIBILITY,
        _KEY,
    )
    for name, words in family.items()
}
"""Every finding that exists, by id."""
