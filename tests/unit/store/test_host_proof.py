"""A host proves that it wrote the note; nobody else can, and nobody waits for a caller who says nothing."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from r_memory.store.host_lock import LOOPBACK, Announcement
from r_memory.store.host_proof import Prover, answers, is_alive, listening


class Teller:
    """Says one thing to the first caller, and keeps what it was sent."""

    def __init__(self, listening: socket.socket, said: bytes) -> None:
        self._listening, self._said = listening, said
        self._heard = b""
        self._thread = threading.Thread(target=self._tell)
        self._thread.start()

    def heard(self) -> bytes:
        """Once the caller has left."""
        self._thread.join()
        return self._heard

    def _tell(self) -> None:
        caller, _ = self._listening.accept()
        with caller:
            self._heard = caller.recv(65_536)
            caller.sendall(self._said)


@contextmanager
def proving() -> Iterator[Announcement]:
    """The note of a host that accepts connections and proves itself."""
    with socket.create_server((LOOPBACK, 0)) as database:
        proof = listening()
        here = replace(
            Announcement.of_this_process(), port=database.getsockname()[1], proof_port=proof.getsockname()[1]
        )
        prover = Prover(proof, here)
        try:
            yield here
        finally:
            prover.close()


def test_a_host_proves_itself_to_whoever_read_its_note() -> None:
    with proving() as note:
        assert [is_alive(note) for _ in range(3)] == [True] * 3
        assert answers(note)


def test_a_host_that_ended_proves_nothing() -> None:
    with proving() as note:
        pass
    assert not is_alive(note)


def test_both_secrets_and_the_port_are_proved() -> None:
    """A host that came after another has other secrets; one secret alone may have been given away."""
    with proving() as note:
        wrong = replace(note, secret="another"), replace(note, reader_secret="another"), replace(note, port=4711)
        assert [is_alive(other) for other in wrong] == [False] * 3


def test_a_host_whose_database_takes_no_connections_does_not_answer() -> None:
    with socket.create_server((LOOPBACK, 0)) as closed_soon:
        port = closed_soon.getsockname()[1]
    proof = listening()
    here = replace(Announcement.of_this_process(), port=port, proof_port=proof.getsockname()[1])
    prover = Prover(proof, here)
    assert is_alive(here)
    assert not answers(here)
    prover.close()


def test_callers_who_say_nothing_keep_nobody_waiting_and_do_not_hold_up_the_end() -> None:
    with proving() as note:
        idle = [socket.create_connection((LOOPBACK, note.proof_port)) for _ in range(50)]
        assert is_alive(note)
    for line in idle:
        line.close()


@pytest.mark.parametrize("said", [b"", b"\0" * 32, b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_stranger_at_the_port_proves_nothing(said: bytes) -> None:
    with socket.create_server((LOOPBACK, 0)) as stranger:
        note = replace(Announcement.of_this_process(), port=4711, proof_port=stranger.getsockname()[1])
        told = Teller(stranger, said)
        assert not is_alive(note)
        assert note.secret.encode() not in told.heard()


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_nobody_answers_where_a_note_names_an_impossible_port(port: int) -> None:
    note = replace(Announcement.of_this_process(), port=port, proof_port=port)
    assert not is_alive(note)
    assert not answers(note)
