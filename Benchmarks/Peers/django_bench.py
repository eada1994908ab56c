"""The workloads with Django's models on psycopg."""

from urllib.parse import parse_qs, urlsplit

import django
from django.conf import settings
from measure import Outcome, attributes, memory, run, touch


class Conflict(Exception):
    """Somebody else changed the row first."""


class Peer:
    def __init__(self, url):
        parts = urlsplit(url)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        settings.configure(
            USE_TZ=True,
            DATABASES={"default": {
                "ENGINE": "django.db.backends.postgresql", "NAME": parts.path.lstrip("/"),
                "USER": query.get("user") or parts.username, "HOST": query.get("host") or parts.hostname,
                "PORT": query.get("port") or parts.port, "PASSWORD": parts.password or "", "CONN_MAX_AGE": None,
            }})
        django.setup()
        self.declare()

    def declare(self):
        # Models can be declared only once the settings are known.
        from django.db import models

        class Department(models.Model):
            id = models.BigAutoField(primary_key=True, db_column="_id")
            version = models.BigIntegerField(default=1, db_column="_version")
            name = models.TextField()

            class Meta:
                app_label, db_table, managed = "bench", "department", False

        class Employee(models.Model):
            id = models.BigAutoField(primary_key=True, db_column="_id")
            version = models.BigIntegerField(default=1, db_column="_version")
            first_name = models.TextField()
            last_name = models.TextField()
            email = models.TextField()
            salary = models.FloatField()
            rating = models.FloatField()
            hired_at = models.DateTimeField()
            visits = models.BigIntegerField()
            level = models.IntegerField()
            active = models.BooleanField()
            department = models.ForeignKey(
                Department, models.SET_NULL, null=True, db_column="department", related_name="employees")

            class Meta:
                app_label, db_table, managed = "bench", "employee", False

        self.Department, self.Employee = Department, Employee

    def warm_up(self):
        list(self.Employee.objects.filter(salary__lt=0))
        list(self.Department.objects.filter(name=""))

    def keys(self, limit=None):
        return list(self.Employee.objects.order_by("id").values_list("id", flat=True)[:limit])

    def close(self):
        from django.db import connection

        connection.close()


def atomic():
    from django.db import transaction

    return transaction.atomic()


def update_guarded(peer, employee, **values):
    """Django has no version check of its own: an UPDATE that names the version read finds no row after a conflict."""
    changed = peer.Employee.objects.filter(id=employee.id, version=employee.version).update(
        version=employee.version + 1, **values)
    if changed != 1:
        raise Conflict


def insert(peer, n):
    with atomic():
        department = peer.Department.objects.create(name="New")
        employees = [peer.Employee(department=department, **attributes(i)) for i in range(n)]
        peer.Employee.objects.bulk_create(employees, batch_size=1000)
    return Outcome(len({employee.id for employee in employees}))


def fetch(peer, n):
    before = memory("VmRSS")
    employees = list(peer.Employee.objects.all())
    total = sum(touch(employee) for employee in employees)
    return Outcome(len(employees), total, memory("VmRSS") - before)


def look_up(peer, n, keys):
    # There is no session: each lookup is a query.
    total = sum(peer.Employee.objects.get(id=keys[i * 7919 % len(keys)]).visits for i in range(n))
    return Outcome(n, total)


def query(peer, n):
    count, total = 0, 0.0
    for i in range(n):
        page = list(
            peer.Employee.objects.filter(last_name=f"Last{i % 1000:03}", salary__gt=1000.0).order_by("hired_at")[:20])
        total += sum(touch(employee) for employee in page)
        count += len(page)
    return Outcome(count, total)


def update(peer, n):
    # One UPDATE per object: bulk_update has no check and its CASE expressions are slower.
    with atomic():
        employees = list(peer.Employee.objects.order_by("id")[:n])
        for employee in employees:
            employee.visits += 1
            employee.salary += 10
            update_guarded(peer, employee, visits=employee.visits, salary=employee.salary)
    return Outcome(len(employees))


def traverse(peer, n):
    return walk(peer.Department.objects.prefetch_related("employees"))


def traverse_lazily(peer, n):
    return walk(peer.Department.objects.all())


def walk(departments):
    count, total = 0, 0.0
    for department in departments:
        for employee in department.employees.all():
            total += employee.salary
            count += 1
    return Outcome(count, total)


def delete_objects(peer, n):
    with atomic():
        employees = list(peer.Employee.objects.order_by("id")[:n])
        deleted, _ = peer.Employee.objects.filter(id__in=[employee.id for employee in employees]).delete()
    return Outcome(deleted)


def delete_by_predicate(peer, n):
    deleted, _ = peer.Employee.objects.filter(visits__lt=n).delete()
    return Outcome(deleted)


def visit(peer, key):
    while True:
        try:
            with atomic():
                employee = peer.Employee.objects.get(id=key)
                update_guarded(peer, employee, visits=employee.visits + 1)
                return
        except Conflict:
            continue


def first(peer, n):
    return Outcome(len(peer.Employee.objects.all()[:1]))


if __name__ == "__main__":
    run(
        {
            "W1": insert, "W2": fetch, "W3 before": Peer.keys, "W3": look_up, "W4": query, "W5": update,
            "W6": traverse, "W6lazy": traverse_lazily, "W7": delete_objects, "W7b": delete_by_predicate, "W8": visit,
            "W9": first,
        }, Peer)
