#!/usr/bin/env python3
"""Asks two servers over HTTP, which share one database; scripts/check-server starts it.

  check.py SERVER FOLDER      SERVER is the program, FOLDER is for the private PostgreSQL
"""
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time

SERVER, FOLDER = sys.argv[1:]
EDITS = 1000
SEED = int(os.environ.get("HOWDAH_SEED", "25"))


def fail(text):
    print(f"check-server: {text}", file=sys.stderr)
    os._exit(1)


def tool(*arguments, **environment):
    return subprocess.run([SERVER, *arguments], check=True, capture_output=True, text=True,
                          env={**os.environ, **environment}).stdout.strip()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """One running server."""

    def __init__(self, url, source):
        self.port = free_port()
        variable = "HOWDAH_URL" if source == "reader" else "DATABASE_URL"
        environment = {**os.environ, variable: url, "HOWDAH_DRAINING_TIME": "5", "HOWDAH_MAXIMUM_CONNECTIONS": "4"}
        self.process = subprocess.Popen([SERVER, "serve", str(self.port), source], env=environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                if self.ask("GET", "/ready")[0] == 200:
                    return
            except OSError:
                time.sleep(0.05)
        fail(f"The server on the {source} does not answer.")

    def ask(self, method, path, body=None, headers=None):
        """Returns status, headers and body of one request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            return exchange(connection, method, path, body, headers)
        finally:
            connection.close()


def exchange(connection, method, path, body=None, headers=None):
    connection.request(method, path, body=json.dumps(body) if body is not None else None,
                       headers={"Content-Type": "application/json", **(headers or {})})
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def in_threads(*bodies):
    errors = []

    def run(body):
        try:
            body()
        except BaseException as error:  # noqa: BLE001, reported below
            errors.append(error)

    threads = [threading.Thread(target=run, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def edit_one_document(servers, page):
    """Every edit adds one; a lost update would be a number that is too small."""
    done, stale, repeated = [0], [0], [0]
    lock = threading.Lock()
    dice = random.Random(SEED)

    def write(server, name):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        while True:
            with lock:
                if done[0] >= EDITS:
                    return
            _, headers, body = exchange(connection, "GET", f"/pages/{page}")
            shown = json.loads(body)[0]
            assert headers["ETag"] == '"' + shown["@version"] + '"' and shown["@objectID"] == page, shown
            assert "@entity" not in shown, shown
            edit = {"title": f"by {name}", "edits": shown["edits"] + 1}
            status, after, answer = exchange(connection, "PUT", f"/pages/{page}", edit, {"If-Match": headers["ETag"]})
            if status == 412:
                problem = json.loads(answer)
                pointers = {part["pointer"] for part in problem["errors"]}
                assert after["Content-Type"] == "application/problem+json" and problem["code"] == "conflict", problem
                # Only those that differ: another one may have stored this number, or the title may be the one it was.
                assert pointers and pointers <= {"/edits", "/title"}, problem
                with lock:
                    stale[0] += 1
                continue
            assert status == 204 and after["ETag"] != headers["ETag"], (status, answer)
            with lock:
                done[0] += 1
                again = dice.random() < 0.2
            if again:
                # The tag is old now, whoever wrote since.
                edit["edits"] += 1000
                status, _, answer = exchange(connection, "PUT", f"/pages/{page}", edit, {"If-Match": headers["ETag"]})
                assert status == 412, (status, answer)
                with lock:
                    repeated[0] += 1

    in_threads(*[lambda s=server, n=f"{i}{j}": write(s, n) for i, server in enumerate(servers) for j in range(2)])
    shown = json.loads(servers[0].ask("GET", f"/pages/{page}")[2])[0]
    assert shown["edits"] == done[0], f"{done[0]} edits succeeded and {shown['edits']} are stored"
    for headers, expected in (({}, 428), ({"If-Match": '"d' + "0" * 64 + '"'}, 400), ({"If-Match": "*"}, 412)):
        status = servers[0].ask("PUT", f"/pages/{page}", {"title": "x", "edits": 0}, headers)[0]
        assert status == expected, (headers, status)
    long = servers[1].ask("GET", f"/pages/{page}")[1]["ETag"]
    status, _, answer = servers[1].ask("PUT", f"/pages/{page}", {"title": "x" * 81, "edits": 0}, {"If-Match": long})
    assert status == 422 and json.loads(answer)["errors"][0]["pointer"] == "/title", answer
    assert servers[0].ask("GET", "/pages/Remark-p1")[0] == 404 and servers[0].ask("GET", "/pages/Page-p999")[0] == 404
    print(f"{done[0]} edits through two servers, {stale[0]} of others refused with 412, {repeated[0]} repeated ones refused")


def show_while_others_write(servers, page):
    """A 304 says that the document is the one that the client has, so its members must have been current."""
    states, acknowledged, begun, over = [()], [0], [0], [False]
    found = {200: 0, 304: 0}
    lock = threading.Lock()

    def write():
        dice, members, number = random.Random(SEED), [], 0
        connections = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=30) for server in servers]
        for step in range(600):
            connection = connections[step % 2]
            if members and dice.random() < 0.45:
                chosen = members.pop(dice.randrange(len(members)))
                method, path = "DELETE", f"/pages/{page}/remarks/{chosen}"
            else:
                number += 1
                members.append(number)
                method, path = "POST", f"/pages/{page}/remarks/{number}"
            with lock:
                states.append(tuple(sorted(members)))
                begun[0] += 1
            assert exchange(connection, method, path)[0] == 204
            with lock:
                acknowledged[0] += 1
            time.sleep(0.002)
        over[0] = True

    def read(server):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        tag, known = "", None
        while not over[0]:
            with lock:
                first = acknowledged[0]
            status, headers, body = exchange(
                connection, "GET", f"/pages/{page}/whole", headers={"If-None-Match": tag} if tag else {})
            with lock:
                last = begun[0]
            if status == 200:
                tag = headers["ETag"]
                known = tuple(sorted(remark["number"] for remark in json.loads(body)[0]["remarks"]))
            else:
                assert status == 304, status
            found[status] += 1
            assert known in states[first:last + 1], f"{status}: {known} was not current between {first} and {last}"

    in_threads(write, *[lambda s=server: read(s) for server in servers + servers])
    assert found[304] > 0 and found[200] > 0, found
    print(f"{found[304]} answers 304 and {found[200]} answers 200 while members came and went, none wrong")


def find_mistakes(servers, page):
    """The control: servers that compare no versions, and that show the version of a row for a document, are found."""
    for check in (edit_one_document, show_while_others_write):
        try:
            check(servers, page)
        except AssertionError:
            continue
        fail(f"{check.__name__} did not find the mistake.")
    print("mistakes of that kind are found")


def stop_the_database(server):
    """Readiness follows the database within two seconds, both ways."""
    for _ in range(2):
        tool("stop", FOLDER)
        begun = time.monotonic()
        status, _, body = server.ask("GET", "/ready")
        assert status == 503 and body.startswith(b"unreachable") and time.monotonic() - begun < 2.5, (status, body)
        tool("start", FOLDER)
        begun = time.monotonic()
        status, _, body = server.ask("GET", "/ready")
        assert status == 200 and time.monotonic() - begun < 2, (status, body)
    print("readiness follows a database that stops and comes back")


def stop_a_server(servers):
    """Under load, no request that was accepted fails, and the process ends within its draining time."""
    ending, other = servers
    answered, moved, failed, over = [0], [0], [], [False]
    lock = threading.Lock()

    def load(path):
        connection = http.client.HTTPConnection("127.0.0.1", ending.port, timeout=30)
        isEnding, isFresh = False, False
        while not over[0]:
            try:
                if connection.sock is None:
                    connection.connect()
                    isFresh = True
            except OSError:
                if isEnding:
                    return
                # It listens no more: a balancer asks the other one from now on.
                isEnding = True
                with lock:
                    moved[0] += 1
                connection = http.client.HTTPConnection("127.0.0.1", other.port, timeout=30)
                continue
            begun = time.monotonic()
            try:
                status, headers, body = exchange(connection, "GET", path)
                isFresh = False
                with lock:
                    answered[0] += 1
                    if status != 200:
                        failed.append((status, body))
                if headers.get("Connection", "").lower() == "close":
                    connection.close()
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # An idle connection may end just when the client sends, before the server reads it: each client repeats
                # that. Anything else was accepted and not answered.
                if isFresh or time.monotonic() - begun > 0.05:
                    with lock:
                        failed.append(("no answer", isFresh, time.monotonic() - begun))
                connection.close()

    threads = [threading.Thread(target=load, args=(path,)) for path in ["/slow", "/ready", "/slow"] * 5]
    for thread in threads:
        thread.start()
    time.sleep(1)
    begun = time.monotonic()
    ending.process.send_signal(signal.SIGTERM)
    code = ending.process.wait(timeout=30)
    seconds = time.monotonic() - begun
    time.sleep(1)
    over[0] = True
    for thread in threads:
        thread.join()
    assert not failed, f"{len(failed)} requests failed: {failed[0]}"
    assert code == 0 and seconds < 6, (code, seconds)
    assert answered[0] > 50 and moved[0] > 0, (answered, moved)
    print(f"{answered[0]} requests answered around a SIGTERM, none failed, the server ended after {seconds:.1f} s")


def stop_a_server_that_hangs(url):
    """A request that waits for the database does not delay the end of the process beyond the time of the group."""
    server, answers = Process(url, "environment"), []

    def hang():
        try:
            answers.append(server.ask("GET", "/hanging")[0])
        except (OSError, http.client.HTTPException) as error:
            answers.append(type(error).__name__)

    thread = threading.Thread(target=hang)
    thread.start()
    time.sleep(1)
    begun = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    try:
        code = server.process.wait(timeout=30)
    finally:
        server.process.kill()
    seconds = time.monotonic() - begun
    thread.join()
    assert 2.5 < seconds < 8, (code, seconds, answers)
    print(f"a server with a hanging request ended after {seconds:.1f} s with status {code}, the client got {answers[0]}")


def compare_the_guide():
    """The examples of the guide are lines of Guide.swift, in their order."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "Sources/Server/Guide.swift")) as file:
        compiled = [line.strip() for line in file]
    with open(os.path.join(here, "../../docs/in-a-server.md")) as file:
        examples = file.read().split("```swift\n")[1:3]
    for example in examples:
        place = 0
        for line in example.split("```")[0].splitlines():
            if line.strip() and not line.startswith("import "):
                assert line.strip() in compiled[place:], f"docs/in-a-server.md: Guide.swift lacks {line.strip()}"
                place = compiled.index(line.strip(), place) + 1


compare_the_guide()
url = tool("start", FOLDER)
page = tool("make", HOWDAH_DATABASE=url)
servers = [Process(url, "environment"), Process(url, "reader")]
try:
    edit_one_document(servers, page)
    show_while_others_write(servers, page)
    wrong = Process(url, "wrong")
    servers.append(wrong)
    find_mistakes([wrong, wrong], tool("make", HOWDAH_DATABASE=url))
    stop_the_database(servers[0])
    stop_a_server(servers[:2])
    stop_a_server_that_hangs(url)
except AssertionError as error:
    import traceback
    traceback.print_exc()
    fail(f"seed {SEED}: {error}")
finally:
    for server in servers:
        server.process.kill()
    tool("stop", FOLDER)
