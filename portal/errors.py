"""Errors of the portal: one stable id each, with who must act, the HTTP status and the prose, in this place alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Actor(StrEnum):
    """Who must act on an error."""

    SUBMITTER = "submitter"
    US = "us"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What an error id means: ``title`` says what happened, ``action`` what to do about it."""

    status: int
    title: str | Promise
    action: str | Promise
    actor: Actor = Actor.SUBMITTER


def _ours(title: str | Promise, action: str | Promise) -> Explanation:
    return Explanation(status=503, title=title, action=action, actor=Actor.US)


_SEND_AGAIN = _("Nothing is wrong with the bundle as far as the portal knows. Send it again to have it queued again.")

EXPLANATIONS: dict[str, Explanation] = {
    "permission.denied": Explanation(
        status=403,
        title=_("Your role does not allow this."),
        action=_("Ask an owner of the organisation for another role."),
    ),
    "organisation.name_taken": Explanation(
        status=409,
        title=_("An organisation of this name exists."),
        action=_("Choose another name, or ask its owner to add you."),
    ),
    "organisation.name_invalid": Explanation(
        status=422,
        title=_("This is no name for an organisation."),
        action=_(
            "Give at most 100 characters, and where the name holds no Latin letter or digit also a short name of Latin "
            "letters, digits and hyphens, at most 60, for addresses."
        ),
    ),
    "membership.unknown_person": Explanation(
        status=404, title=_("Nobody has an account with this address."), action=_("Ask the person to sign up first.")
    ),
    "membership.last_owner": Explanation(
        status=409, title=_("An organisation needs an owner."), action=_("Make somebody else an owner first.")
    ),
    "key.malformed": Explanation(
        status=422,
        title=_("This is no Ed25519 public key."),
        action=_("Send the 32 raw bytes in base64, as `vflops keys show` prints them."),
    ),
    "key.proof_failed": Explanation(
        status=422,
        title=_("The signature does not prove that you hold the private key."),
        action=_("Register the key with `vflops keys register`, logged in to the organisation it is for."),
    ),
    "key.already_registered": Explanation(
        status=409,
        title=_("This key is registered already, by another organisation or revoked."),
        action=_("Make a new key with `vflops keys create NAME`, then `vflops keys register NAME`."),
    ),
    "key.already_revoked": Explanation(
        status=409, title=_("This key is revoked already."), action=_("Nothing is left to do.")
    ),
    "token.lifetime_invalid": Explanation(
        status=422, title=_("A token lives between 1 and 365 days."), action=_("Choose a number of days in that range.")
    ),
    "reason.missing": Explanation(
        status=422, title=_("A reason is needed."), action=_("Say why, in a sentence; it is shown.")
    ),
    "submission.not_publishable": Explanation(
        status=409,
        title=_("This submission cannot be published."),
        action=_("Only one that is being verified or was verified can be."),
    ),
    "submission.not_withdrawable": Explanation(
        status=409,
        title=_("This submission cannot be withdrawn now."),
        action=_("Wait until its verification has ended; a published result is withdrawn on its own page."),
    ),
    "submission.not_held": Explanation(
        status=409,
        title=_("This submission is not held for review."),
        action=_("Look at its state; somebody else may have decided."),
    ),
    "submission.already_published": Explanation(
        status=409,
        title=_("This run set is published already, by another submission."),
        action=_("Train a new run set; one run set gives one result."),
    ),
    "request.not_found": Explanation(
        status=404,
        title=_("There is nothing here, or nothing that you may see."),
        action=_("Check the address and whose token you use."),
    ),
    "request.method_not_allowed": Explanation(
        status=405,
        title=_("This address does not take this method."),
        action=_("See the API's description for the methods that it takes."),
    ),
    "request.not_acceptable": Explanation(
        status=406,
        title=_("This address has no answer in the format asked for."),
        action=_("Ask for application/json."),
    ),
    "request.media_type": Explanation(
        status=415,
        title=_("This address does not take this kind of content."),
        action=_("Send application/json."),
    ),
    "request.malformed": Explanation(
        status=400,
        title=_("The request cannot be read."),
        action=_("Send one JSON object in UTF-8, with no NaN and no Infinity."),
    ),
    "request.invalid": Explanation(
        status=422,
        title=_("Some fields cannot be taken as they are."),
        action=_("The member fields says what is wrong with each."),
    ),
    "request.too_large": Explanation(
        status=413,
        title=_("The request is larger than this address takes."),
        action=_("Send less; bundles go to the uploads."),
    ),
    "organisation.unclear": Explanation(
        status=422,
        title=_("It is unclear for which organisation this is."),
        action=_("Name one of yours by its slug; a token acts for its own organisation alone."),
    ),
    "request.refused": Explanation(
        status=400,
        title=_("The request was refused."),
        action=_("See the API's description."),
    ),
    "request.csrf_failed": Explanation(
        status=403,
        title=_("The page's protection against forged requests did not fit."),
        action=_("Load the page again."),
    ),
    "request.throttled": Explanation(
        status=429,
        title=_("Too many requests in a short time."),
        action=_("Wait as many seconds as Retry-After says."),
    ),
    "internal.unexpected": Explanation(
        status=500,
        title=_("The portal failed; this is not your fault."),
        action=_("Try again later. If it stays, tell the operators the time and the address."),
        actor=Actor.US,
    ),
    "token.missing": Explanation(
        status=401,
        title=_("This needs to know who you are."),
        action=_("Send the header Authorization: Bearer with a token of yours, or log in."),
    ),
    "token.invalid": Explanation(
        status=401,
        title=_("The portal does not know this token."),
        action=_("Check that it was copied whole, or make a new one on your organisation's page."),
    ),
    "token.expired": Explanation(
        status=401,
        title=_("The token has expired."),
        action=_("Make a new token on your organisation's page, then log in with it."),
    ),
    "token.revoked": Explanation(
        status=401,
        title=_("The token was revoked."),
        action=_("Make a new token on your organisation's page, then log in with it."),
    ),
    "token.orphaned": Explanation(
        status=401,
        title=_("The token's owner is no longer a member of its organisation."),
        action=_("Ask an owner of the organisation."),
    ),
    "upload.protocol": Explanation(
        status=412,
        title=_("This address speaks version 1.0.0 of the tus protocol."),
        action=_("Send the header Tus-Resumable: 1.0.0."),
    ),
    "upload.malformed": Explanation(
        status=400,
        title=_("The upload's headers cannot be read."),
        action=_("Declare size, file name and SHA-256 as the API's description says."),
    ),
    "upload.file_type": Explanation(
        status=415,
        title=_("Only bundles can be handed in."),
        action=_("Send the .vflops file that the command line wrote."),
    ),
    "upload.empty": Explanation(
        status=422,
        title=_("An empty file is no bundle."),
        action=_("Send the .vflops file that the command line wrote."),
    ),
    "upload.too_large": Explanation(
        status=413,
        title=_("The file is larger than this portal takes."),
        action=_("The header Tus-Max-Size of an OPTIONS request says what it takes."),
    ),
    "upload.too_many": Explanation(
        status=429,
        title=_("You have too many unfinished uploads."),
        action=_("Finish them, or wait until they expire."),
    ),
    "upload.content_type": Explanation(
        status=415,
        title=_("Bytes of an upload have a content type of their own."),
        action=_("Send application/offset+octet-stream."),
    ),
    "upload.length_required": Explanation(
        status=411,
        title=_("Bytes of an upload need their number in advance."),
        action=_("Send Content-Length."),
    ),
    "upload.wrong_offset": Explanation(
        status=409,
        title=_("The bytes do not go on where the portal stands."),
        action=_("Ask by HEAD where it stands, and go on there."),
    ),
    "upload.locked": Explanation(
        status=423,
        title=_("Another request is sending bytes of this upload."),
        action=_("Wait a few seconds, ask by HEAD where it stands, and go on there."),
    ),
    "upload.beyond_size": Explanation(
        status=413,
        title=_("These are more bytes than were declared."),
        action=_("Send the file again."),
    ),
    "upload.interrupted": Explanation(
        status=400,
        title=_("The connection ended before all bytes had come."),
        action=_("What came is kept: ask by HEAD where it stands, and go on there."),
    ),
    "upload.gone": Explanation(
        status=410,
        title=_("This upload was discarded: it expired, or its bytes were damaged."),
        action=_("Send the file again."),
    ),
    "upload.hash_mismatch": Explanation(
        status=460,
        title=_("The bytes are not those that were declared: the SHA-256 differs."),
        action=_("The file changed or was damaged on its way. Send the file again."),
    ),
    "upload.no_space": Explanation(
        status=507,
        title=_("The portal has no room for this upload at the moment."),
        action=_("What came is kept. Try again later; we see this error too."),
        actor=Actor.US,
    ),
    "verification.crashed": _ours(_("The verifier ended without a report."), _SEND_AGAIN),
    "verification.out_of_time": _ours(_("The verification took longer than the portal allows."), _SEND_AGAIN),
    "verification.output_too_large": _ours(_("The verifier's report is larger than the portal takes."), _SEND_AGAIN),
    "verification.unreadable_report": _ours(_("The verifier's report cannot be read."), _SEND_AGAIN),
    "verification.interrupted": _ours(_("The verification was interrupted."), _SEND_AGAIN),
    "verification.bundle_unavailable": _ours(_("The stored bundle could not be read."), _SEND_AGAIN),
    "verification.not_in_time": _ours(_("No worker took the submission up in time."), _SEND_AGAIN),
    "review.not_in_time": _ours(_("No auditor decided in time."), _SEND_AGAIN),
    "publication.failed": _ours(
        _("The result could not be published."),
        _("The report stands. Ask for publication again; we see this error too."),
    ),
}


class PortalError(Exception):
    """Something that a person or a program asked for and cannot have; ``detail`` is about this very case."""

    def __init__(self, error_id: str, detail: str = "") -> None:
        self.id = error_id
        self.detail = detail
        super().__init__(f"{error_id}: {detail}" if detail else error_id)

    @property
    def explanation(self) -> Explanation:
        """What the id means."""
        return EXPLANATIONS[self.id]
