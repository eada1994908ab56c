import Howdah
import Testing

@testable import HowdahRuntime
@testable import PQClient

/// Names of operations and batches, as OpenTelemetry's conventions for databases give them.
@Suite struct StatementReportTests {
    private static let begin = StatementSubject(.transaction)
    private static let commit = StatementSubject(.commit)
    private static let insertion = StatementSubject(.insert, "\"public\".\"employee\"")
    private static let update = StatementSubject(.update, "\"public\".\"employee\"")
    private static let other = StatementSubject(
        .insert, StatementTable("\"public\".\"department\""), comment: " /* a B/C.swift:1 */")

    private func report(_ subjects: [StatementSubject?]) -> StoreEvent.StatementReport {
        .init(
            RoundTrip(
                texts: subjects.map { _ in "text" }, subjects: subjects, duration: .seconds(1), rows: 0,
                error: nil))
    }

    @Test func namesAreOfTheOperationsWithoutTheirTransaction() {
        #expect(report([Self.insertion]).summary == "INSERT employee")
        #expect(report([Self.begin, Self.insertion, Self.commit]).summary == "INSERT employee")
        #expect(report([Self.begin, Self.insertion, Self.commit]).batchSize == nil)
        #expect(report([Self.insertion, Self.insertion]).summary == "BATCH INSERT employee")
        // The summaries of the two differ, but not their operations.
        let insertions = report([Self.begin, Self.other, Self.insertion, Self.commit])
        #expect(insertions.summary == "BATCH")
        #expect(insertions.operation == "BATCH INSERT")
        #expect(report([Self.other, Self.insertion]).batchSize == 2)
        #expect(report([Self.update, Self.insertion]).summary == "BATCH")
        #expect(report([Self.update, Self.insertion]).collection == "employee")
        #expect(report([Self.update, Self.other]).summary == "BATCH")
        #expect(report([Self.commit]).summary == "COMMIT")
        #expect(report([Self.begin, Self.commit]).summary == "COMMIT")
        #expect(report([nil]).summary == "postgresql")
        #expect(report([nil]).operation == nil)
    }

    @Test func rowsAreNamedByWhatHappenedToThem() {
        let selection = StatementSubject(.select, "\"public\".\"employee\"")
        #expect(report([selection]).rowsName == "db.response.returned_rows")
        #expect(report([Self.insertion]).rowsName == "howdah.affected_rows")
        #expect(report([nil]).rowsName == "db.response.returned_rows")
        for operation in [StatementSubject.Operation.declare, .close, .open, .explain, .transaction] {
            #expect(report([selection.with(operation)]).rowsName == nil)
        }
        #expect(report([selection.with(.declare), selection]).summary == "SELECT employee")
        let trip = RoundTrip(texts: ["text"], subjects: [nil], duration: .zero, rows: 3, error: nil)
        #expect(StoreEvent.StatementReport(trip, isOwnWriting: true).rowsName == "howdah.affected_rows")
    }

    @Test func textsThatRepeatAreInTheTextOnce() {
        let trip = RoundTrip(
            texts: ["BEGIN", "a", "a", "b", "a", "COMMIT"], subjects: Array(repeating: nil, count: 6),
            duration: .zero, rows: 0, error: nil)
        #expect(StoreEvent.StatementReport(trip).text == "BEGIN; a; b; a; COMMIT")
    }

    @Test func tagsComeFromTheCommentOfTheRequest() {
        #expect(report([Self.insertion, Self.other]).tag == "a B/C.swift:1")
        #expect(report([Self.insertion]).tag == nil)
    }

    @Test func tablesAreNamedWithoutSchemaAndQuotes() {
        for (quoted, name) in [
            (SQLIdentifier.quoted("public", "employee"), "employee"),
            (SQLIdentifier.quoted("a\".\"b", "c\".\"d"), "c\".\"d"),
            (SQLIdentifier.quoted("a.b", "c\""), "c\""), (SQLIdentifier.quoted("a", "\"c"), "\"c"),
        ] {
            #expect(SQLIdentifier.lastName(quoted) == name)
        }
    }
}
