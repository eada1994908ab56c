#!/usr/bin/env python3
"""Compares the tracker with the same endpoints in SQL, on one private PostgreSQL; scripts/bench-tracker calls it.

  bench.py PROGRAMS [--rounds N] [--seconds N] [--issues N] [--json FILE]
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

CONNECTIONS = 8
SECRET = "a secret of the benchmark, of 32 characters"
TICKS = os.sysconf("SC_CLK_TCK")
READ = """
local ids = {%s}
local headers = {["Authorization"] = "Bearer %s"}
function request() return wrk.format("GET", "/issues/" .. ids[math.random(#ids)], headers) end
"""
LIST = 'function request() return wrk.format("GET", "%s", {["Authorization"] = "Bearer %s"}) end'
# Each thread has one connection, and changes an issue that no other has.
CHANGE = """
local ids = {%s}
local number = 0
function setup(thread) number = number + 1; thread:set("place", number) end
local tag, count = nil, 0
function request()
    local headers = {["Authorization"] = "Bearer %s"}
    if not tag then return wrk.format("GET", "/issues/" .. ids[place], headers) end
    count = count + 1
    headers["If-Match"], headers["Content-Type"] = tag, "application/json"
    return wrk.format("PATCH", "/issues/" .. ids[place], headers, '{"title":"Title ' .. count .. '"}')
end
function response(status, headers, body) tag = headers["ETag"] end
"""
FILL = """
INSERT INTO issue (number, title, text, priority, created_at, project, author, assignee, estimate_value, estimate_unit)
SELECT i + 100, 'Issue ' || i, repeat('A sentence of the text. ', 8), 1 + i % 5, now(), p._id, u._id,
    CASE WHEN i % 3 = 0 THEN u._id END, CASE WHEN i % 2 = 0 THEN i / 10.0 END, CASE WHEN i % 2 = 0 THEN 'hours' END
FROM generate_series(1, {issues}) i, project p, "user" u WHERE p.key = 'CORE' AND u.login = 'ada';
UPDATE project SET next_number = {issues} + 200 WHERE key = 'CORE';
VACUUM ANALYZE;
CHECKPOINT;
"""


def fail(text):
    print(f"bench-tracker: {text}", file=sys.stderr)
    sys.exit(1)


def seconds_of(pid, with_children=False):
    """The processor time of a process, and of its children that have ended."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15] if with_children else fields[11:13])) / TICKS


class Database:
    def __init__(self, program):
        self.owner = subprocess.Popen([program, "database"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.owner.stdout.readline().strip()
        if not self.url:
            fail("PostgreSQL does not start. Read the message above.")
        folder = pathlib.Path(self.sql("SHOW data_directory"))
        self.postmaster = int((folder / "postmaster.pid").read_text().splitlines()[0])

    def sql(self, *statements):
        words = [word for statement in statements for word in ("-c", statement)]
        return subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", self.url, *words], check=True,
                              capture_output=True, text=True).stdout.strip()

    def seconds(self):
        """The processor time of all processes of the server so far."""
        total = seconds_of(self.postmaster, with_children=True)
        for pid in pathlib.Path(f"/proc/{self.postmaster}/task/{self.postmaster}/children").read_text().split():
            try:
                total += seconds_of(pid)
            except OSError:
                pass
        return total


    def stop(self):
        self.owner.stdin.close()
        self.owner.wait()


class Server:
    def __init__(self, name, program, url, **settings):
        self.name = name
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        environment = {**os.environ, "HOWDAH_DATABASE": url, "PORT": str(self.port), "TRACKER_SECRET": SECRET,
                       "TRACKER_WORKERS": "0", "TRACKER_NOTICE": "0", "LOG_LEVEL": "warning", **settings}
        self.process = subprocess.Popen([program, "serve"], env=environment)
        for _ in range(600):
            try:
                if self.ask("GET", "/readyz")[0] == 200:
                    return
            except OSError:
                time.sleep(0.1)
        fail(f"{name} does not answer. Read the message above.")

    def ask(self, method, path, body=None, headers={}):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, body=json.dumps(body) if body else None,
                           headers={"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Bench:
    def __init__(self, options):
        programs = pathlib.Path(options.programs)
        self.options = options
        self.database = Database(programs / "ServerWithSQL")
        self.servers = []
        try:
            environment = {**os.environ, "HOWDAH_DATABASE": self.database.url}
            subprocess.run([programs / "Tracker", "seed"], env=environment, check=True)
            for statement in FILL.format(issues=options.issues).strip().split(";\n"):
                self.database.sql(statement.rstrip(";"))
            self.servers = [Server("tracker", programs / "Tracker", self.database.url),
                            Server("sql", programs / "ServerWithSQL", self.database.url),
                            Server("sql, history", programs / "ServerWithSQL", self.database.url, RECORDS_CHANGES="1")]
            login = {"login": "ada", "password": "lovelace"}
            self.token = json.loads(self.servers[0].ask("POST", "/login", login)[2])["token"]
            keys = self.database.sql("SELECT _id FROM issue WHERE number > 100 ORDER BY number").split()
            self.ids = [f"Issue-p{key}" for key in keys]
            self.pages = self.compare()
            self.run()
        finally:
            for server in self.servers:
                server.stop()
            self.database.stop()

    def ask(self, server, method, path, body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return server.ask(method, path, body, {"Authorization": f"Bearer {self.token}", **headers})

    def compare(self):
        """All must give equal answers. Returns the address of the sixth page of each: cursors differ."""
        tracker, sql, recording = self.servers
        for place in range(0, len(self.ids), max(1, len(self.ids) // 50)):
            path = f"/issues/{self.ids[place]}"
            self.same(path, *(self.ask(server, "GET", path) for server in self.servers[:2]))
            _, headers, body = self.ask(sql, "GET", path)
            tag, priority = headers["ETag"], json.loads(body)["priority"]
            known, last = self.history(), None
            for first, second in [(tracker, sql), (sql, tracker), (recording, tracker)]:
                priority = priority % 5 + 1
                patch = {"title": f"Of {first.name}", "priority": priority}
                changed = self.ask(first, "PATCH", path, patch, If_Match=tag)
                self.same(path, changed, self.ask(second, "GET", path))
                stale = [self.ask(server, "PATCH", path, {"title": "x"}, If_Match=tag)[0] for server in self.servers]
                if changed[0] != 200 or stale != [412] * len(self.servers):
                    fail(f"A change is answered with {changed[0]}, and a stale one with {stale}.")
                tag = changed[1]["ETag"]
                rows = self.history()
                if (rows == known) != (first is sql) or (first is recording and rows[1:] != last[1:]):
                    fail(f"A change of {first.name} has the history {rows} after {last}.")
                known, last = rows, rows if first is tracker else last
            if self.ask(sql, "GET", path, If_None_Match=tag)[0] != 304:
                fail("A known version is not answered with 304.")
        where = urllib.parse.quote_plus("priority <= 3")
        paths = [f"/projects/CORE/issues?where={where}&limit=20"] * 2
        for _ in range(5):
            answers = [self.ask(server, "GET", path) for server, path in zip(self.servers, paths)]
            self.same(paths[0], *answers, with_tag=False)
            paths = [re.match("<(.*)>", answer[1]["Link"])[1] for answer in answers]
        return dict(zip([server.name for server in self.servers], paths))

    def history(self):
        """The number and the rows of the last transaction in the history."""
        return self.database.sql("""
            SELECT max(number), string_agg(concat_ws(' ', part, slot, origin, entity, kind, properties::text,
                CASE entity WHEN 'Issue' THEN ids::text END, cardinality(ids)), ', ' ORDER BY part)
            FROM _howdah_history WHERE number = (SELECT max(number) FROM _howdah_history)""").split("|")

    @staticmethod
    def same(path, first, second, with_tag=True):
        if first[0] != 200 or first[2] != second[2] or (with_tag and first[1]["ETag"] != second[1]["ETag"]):
            fail(f"Answers to {path} differ:\n{first[0]} {first[2][:500]}\n{second[0]} {second[2][:500]}")

    def workloads(self, server):
        quoted = ", ".join(f'"{one}"' for one in self.ids)
        return {"read": (2, READ % (quoted, self.token)),
                "list": (2, LIST % (self.pages.get(server.name, ""), self.token)),
                "change": (CONNECTIONS, CHANGE % (quoted, self.token))}

    def measure(self, server, threads, script, seconds):
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
            file.write(script)
            file.flush()
            before = (seconds_of(server.process.pid), self.database.seconds())
            output = subprocess.run(
                ["wrk", "--latency", f"-t{threads}", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", file.name,
                 f"http://127.0.0.1:{server.port}"], check=True, capture_output=True, text=True).stdout
            after = (seconds_of(server.process.pid), self.database.seconds())
        if "Non-2xx" in output or "Socket errors" in output:
            fail(f"{server.name} fails:\n{output}")
        count = int(re.search(r"(\d+) requests in", output)[1])
        value, unit = re.search(r"99%\s+([\d.]+)(\w+)", output).groups()
        return {"requests": float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]),
                "p99": float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit],
                "process": (after[0] - before[0]) * 1000 / count, "database": (after[1] - before[1]) * 1000 / count}

    def run(self):
        results = {}
        for number in range(self.options.rounds + 1):
            for name in ["read", "list", "change"]:
                # They take turns at being first. Round 0 only warms up.
                for server in self.servers[:3 if name == "change" else 2][::1 if number % 2 else -1]:
                    threads, script = self.workloads(server)[name]
                    one = self.measure(server, threads, script, self.options.seconds if number else 1)
                    if number:
                        results.setdefault(name, {}).setdefault(server.name, []).append(one)
        self.report(results)

    def report(self, results):
        head = ("endpoint", "server", "requests/s", "p99 ms", "CPU s / 1,000: process", "PostgreSQL", "tracker to it")
        print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
        for name, servers in results.items():
            for server, rounds in sorted(servers.items(), reverse=True):
                middle = {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}
                ratios = [one["requests"] / other["requests"] for one, other in zip(servers["tracker"], rounds)]
                ratio = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
                print(f"| {name} | {server} | {middle['requests']:,.0f} | {middle['p99']:.1f} | {middle['process']:.3f} |"
                      f" {middle['database']:.3f} | {'' if server == 'tracker' else ratio} |")
        if self.options.json:
            pathlib.Path(self.options.json).write_text(json.dumps(results, indent=1))


parser = argparse.ArgumentParser()
parser.add_argument("programs")
parser.add_argument("--rounds", type=int, default=7)
parser.add_argument("--seconds", type=int, default=5)
parser.add_argument("--issues", type=int, default=5000)
parser.add_argument("--json")
Bench(parser.parse_args())
