"""Logging in: the portal says whose token it is, and only then is it kept, readable by its owner alone."""

from __future__ import annotations

import io
import json
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from runner import portals
from runner.client import Portal, normal_address, sends_secrets_in_clear
from runner.errors import RunnerError
from runner.portal_errors import PortalError
from scripts.common import free_port
from tests.portal.uploads.served import Served
from tests.runner.client.conftest import CommandLine


def test_a_good_token_is_kept_for_its_owner_alone(vflops: CommandLine, server: Served, own_home: Path) -> None:
    said = vflops("login", server.address, "--token", server.secret)
    assert said.status == 0
    assert "alice@example.org" in said.out
    assert "laboratory" in said.out
    assert server.secret not in said.out + said.err
    path = own_home / "portals.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in own_home.iterdir() if file.name.startswith(".")] == []
    assert portals.choose(None).token == server.secret


def test_programs_get_json(vflops: CommandLine, server: Served) -> None:
    said = vflops("login", server.address, "--token", server.secret, "--json").document
    assert (said["portal"], said["email"], said["organisations"]) == (
        server.address,
        "alice@example.org",
        ["laboratory"],
    )
    assert said["token"]["expires_at"].endswith("Z")


def test_a_token_comes_from_standard_input(
    vflops: CommandLine, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(server.secret + "\n"))
    assert vflops("login", server.address, "--token", "-").status == 0


def test_a_token_comes_from_the_environment(
    vflops: CommandLine, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VFLOPS_TOKEN", server.secret)
    assert vflops("login", server.address).status == 0


def test_a_person_at_a_terminal_is_asked_without_echo(
    vflops: CommandLine, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("getpass.getpass", lambda prompt: server.secret)
    assert vflops("login", server.address).status == 0


def test_no_token_at_all_is_a_wrong_use(vflops: CommandLine, server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    said = vflops("login", server.address, "--json")
    assert (said.status, said.error_id) == (2, "token.missing")


def test_a_wrong_token_is_not_kept_and_says_what_to_do(vflops: CommandLine, server: Served, own_home: Path) -> None:
    said = vflops("login", server.address, "--token", "vfl_wrong", "--json")
    assert (said.status, said.error_id) == (1, "token.invalid")
    assert "vflops login" in said.document["error"]["action"]
    assert not (own_home / "portals.json").exists()


def test_a_portal_that_is_not_there_is_told(vflops: CommandLine) -> None:
    said = vflops("login", f"localhost:{free_port()}", "--token", "vfl_x")
    assert said.status == 1
    assert "[portal.unreachable]" in said.err
    assert "Traceback" not in said.err


class Elsewhere(BaseHTTPRequestHandler):
    """Some other web site; ``/moved`` leads away."""

    def do_GET(self) -> None:
        self.send_response(301 if self.path.startswith("/moved") else 200)
        self.send_header("Location", "https://portal.example.org/")
        self.end_headers()
        self.wfile.write(b"<html>hello</html>")

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """Address of a web server that is no portal."""
    with HTTPServer(("127.0.0.1", 0), Elsewhere) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{site.server_port}"
        site.shutdown()


@pytest.mark.parametrize(("path", "id"), [("", "portal.not_a_portal"), ("/moved", "portal.moved")])
def test_another_site_gets_no_further(vflops: CommandLine, elsewhere: str, path: str, id: str) -> None:
    said = vflops("login", elsewhere + path, "--token", "vfl_x", "--json")
    assert (said.status, said.error_id) == (1, id)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("portal.example.org", "https://portal.example.org"),
        ("https://portal.example.org/", "https://portal.example.org"),
        (" localhost:8000 ", "http://localhost:8000"),
        ("127.0.0.1:1", "http://127.0.0.1:1"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
        ("https://example.org/vflops/", "https://example.org/vflops"),
    ],
)
def test_an_address_is_kept_in_one_form(text: str, address: str) -> None:
    assert normal_address(text) == address


@pytest.mark.parametrize(
    "text", ["", "ftp://example.org", "https://", "http://a:b@example.org", "http://x:99999", "//"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(PortalError, match=r"web address|not an address"):
        normal_address(text)


def test_a_token_in_the_clear_is_warned_of(vflops: CommandLine) -> None:
    assert sends_secrets_in_clear("http://portal.example.org")
    assert not sends_secrets_in_clear("https://portal.example.org")
    assert not sends_secrets_in_clear("http://localhost:8000")


def test_commands_without_a_login_say_what_to_do(vflops: CommandLine) -> None:
    said = vflops("status", "--json")
    assert (said.status, said.error_id) == (1, "portal.unknown")
    assert "vflops login" in said.document["error"]["action"]


def test_a_portal_without_a_token_says_what_to_do(logged_in: CommandLine) -> None:
    assert logged_in("status", "--portal", "localhost:1", "--json").error_id == "token.missing"


def test_the_environment_names_portal_and_token(
    vflops: CommandLine, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VFLOPS_PORTAL", server.address)
    monkeypatch.setenv("VFLOPS_TOKEN", server.secret)
    assert vflops("status").status == 0


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 2}'])
def test_a_damaged_file_of_logins_is_told_and_left_alone(vflops: CommandLine, own_home: Path, content: str) -> None:
    path = own_home / "portals.json"
    path.write_text(content)
    said = vflops("status", "--json")
    assert (said.status, said.error_id) == (1, "login.unreadable")
    assert path.read_text() == content


def test_the_last_login_is_the_one_in_use_and_others_stay(own_home: Path) -> None:
    for name in ("a", "b"):
        portals.remember(portals.Login(address=f"https://{name}.example.org", token=f"vfl_{name}"))
    assert portals.choose(None).token == "vfl_b"
    assert portals.choose("a.example.org").token == "vfl_a"
    assert json.loads((own_home / "portals.json").read_text())["default"] == "https://b.example.org"


def test_a_token_never_shows_where_a_login_is_printed() -> None:
    assert "vfl_" not in repr(portals.Login(address="https://a.example.org", token="vfl_secret"))


def test_an_upload_address_of_another_site_is_never_followed(server: Served) -> None:
    with Portal(server.address, server.secret) as portal, pytest.raises(RunnerError, match="not the portal's"):
        portal.request("HEAD", "http://other.example.org/api/v1/uploads/x")
