"""The workloads with SQLAlchemy's unit of work on psycopg."""

import psycopg
from measure import Outcome, attributes, memory, run, touch
from sqlalchemy import BigInteger, DateTime, Double, ForeignKey, Integer, Sequence, Text, create_engine, delete, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship, selectinload
from sqlalchemy.orm.exc import StaleDataError
from sqlalchemy.pool import StaticPool


class Base(DeclarativeBase):
    pass


class Department(Base):
    __tablename__ = "department"
    id = mapped_column("_id", BigInteger, Sequence("_howdah_id"), primary_key=True)
    version = mapped_column("_version", BigInteger, nullable=False)
    name: Mapped[str] = mapped_column(Text)
    employees: Mapped[list["Employee"]] = relationship(back_populates="department")
    __mapper_args__ = {"version_id_col": version}


class Employee(Base):
    __tablename__ = "employee"
    id = mapped_column("_id", BigInteger, Sequence("_howdah_id"), primary_key=True)
    version = mapped_column("_version", BigInteger, nullable=False)
    first_name: Mapped[str] = mapped_column(Text)
    last_name: Mapped[str] = mapped_column(Text)
    email: Mapped[str] = mapped_column(Text)
    salary: Mapped[float] = mapped_column(Double)
    rating: Mapped[float] = mapped_column(Double)
    hired_at = mapped_column(DateTime(timezone=True))
    visits: Mapped[int] = mapped_column(BigInteger)
    level: Mapped[int] = mapped_column(Integer)
    active: Mapped[bool]
    department_id = mapped_column("department", ForeignKey("department._id"))
    department: Mapped[Department | None] = relationship(back_populates="employees")
    __mapper_args__ = {"version_id_col": version}


class Peer:
    def __init__(self, url):
        # Smaller pages than the default of 1,000 rows: psycopg parses a statement's text, and long ones slowly.
        self.engine = create_engine(
            "postgresql+psycopg://", creator=lambda: psycopg.connect(url), insertmanyvalues_page_size=100,
            poolclass=StaticPool)

    def session(self):
        return Session(self.engine)

    def warm_up(self):
        with self.session() as session:
            session.scalars(select(Employee).where(Employee.salary < 0)).all()
            session.scalars(select(Department).where(Department.name == "")).all()

    def keys(self, limit=None):
        with self.session() as session:
            return session.scalars(select(Employee.id).order_by(Employee.id).limit(limit)).all()

    def close(self):
        self.engine.dispose()


def insert(peer, n):
    with peer.session() as session:
        department = Department(name="New")
        employees = [Employee(department=department, **attributes(i)) for i in range(n)]
        session.add(department)
        session.flush()
        keys = {employee.id for employee in employees}
        session.commit()
        return Outcome(len(keys))


def fetch(peer, n):
    before = memory("VmRSS")
    with peer.session() as session:
        employees = session.scalars(select(Employee)).all()
        total = sum(touch(employee) for employee in employees)
        return Outcome(len(employees), total, memory("VmRSS") - before)


def look_up(peer, n, keys):
    total = 0
    for start in range(0, n, 100):
        with peer.session() as session:
            for i in range(start, min(start + 100, n)):
                total += session.get(Employee, keys[i * 7919 % len(keys)]).visits
    return Outcome(n, total)


def query(peer, n):
    count, total = 0, 0.0
    with peer.session() as session:
        for i in range(n):
            page = session.scalars(
                select(Employee).where(Employee.last_name == f"Last{i % 1000:03}", Employee.salary > 1000.0)
                .order_by(Employee.hired_at).limit(20)).all()
            total += sum(touch(employee) for employee in page)
            count += len(page)
    return Outcome(count, total)


def update(peer, n):
    with peer.session() as session:
        employees = session.scalars(select(Employee).order_by(Employee.id).limit(n)).all()
        for employee in employees:
            employee.visits += 1
            employee.salary += 10
        session.commit()
        return Outcome(len(employees))


def traverse(peer, n):
    return walk(peer, select(Department).options(selectinload(Department.employees)))


def traverse_lazily(peer, n):
    return walk(peer, select(Department))


def walk(peer, statement):
    count, total = 0, 0.0
    with peer.session() as session:
        for department in session.scalars(statement).all():
            for employee in department.employees:
                total += employee.salary
                count += 1
    return Outcome(count, total)


def delete_objects(peer, n):
    with peer.session() as session:
        employees = session.scalars(select(Employee).order_by(Employee.id).limit(n)).all()
        for employee in employees:
            session.delete(employee)
        session.commit()
        return Outcome(len(employees))


def delete_by_predicate(peer, n):
    with peer.session() as session:
        result = session.execute(
            delete(Employee).where(Employee.visits < n).execution_options(synchronize_session=False))
        session.commit()
        return Outcome(result.rowcount)


def visit(peer, key):
    while True:
        try:
            with peer.session() as session:
                session.get(Employee, key).visits += 1
                session.commit()
                return
        except StaleDataError:
            continue


def first(peer, n):
    with peer.session() as session:
        return Outcome(len(session.scalars(select(Employee).limit(1)).all()))


if __name__ == "__main__":
    run(
        {
            "W1": insert, "W2": fetch, "W3 before": Peer.keys, "W3": look_up, "W4": query, "W5": update,
            "W6": traverse, "W6lazy": traverse_lazily, "W7": delete_objects, "W7b": delete_by_predicate, "W8": visit,
            "W9": first,
        }, Peer)
