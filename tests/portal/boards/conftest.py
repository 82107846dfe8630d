"""Boards with several results, published by the real services from reports of a stated score."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from portal.results.models import Result
from portal.submissions.models import Submission
from portal.submissions.verifying import parse_report
from ranking.evidence import canonical
from ranking.verify import verify_bundle
from tests.portal.api.world import World, stored_submission
from tests.portal.reports import report, score
from tests.portal.scenes import publish, record, register

BOARD = "/boards/image_classification/smoke/hardware/"
"""Where the reports of tests rank."""

Publisher = Callable[..., Result]


@pytest.fixture
def published(world: World, make_submission: Callable[[str], Submission]) -> Publisher:
    """Publishes a run set of a name and a score; ``figures`` change the score's other figures."""
    register(world.laboratory, world.alice)

    def make(name: str, flops: float = 1e9, *, figures: dict[str, Any] | None = None, **changes: Any) -> Result:
        document = report(name, flops=flops, score=score(flops, **(figures or {})), **changes)
        return publish(record(make_submission(name), document), world.alice)

    return make


@pytest.fixture(scope="session")
def honest_report(honest_bundle: bytes, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The verifier's report on the honest bundle, made once; pages only read it."""
    path = Path(tmp_path_factory.mktemp("report")) / "run-set.vflops"
    path.write_bytes(honest_bundle)
    return parse_report(canonical.dumps(verify_bundle(path).to_document()))


@pytest.fixture
def result(world: World, honest_bundle: bytes, honest_report: dict[str, Any]) -> Result:
    """The honest bundle, published by alice on that report, with its figures."""
    register(world.laboratory, world.alice)
    return publish(record(stored_submission(world, honest_bundle), honest_report), world.alice)
