import PQClient

/// The statements of the endpoints: one for each.
extension Connection {
    private static let one = """
        SELECT \(IssueRow.columns) FROM issue i JOIN project p ON p._id = i.project \(IssueRow.users)
        WHERE i._id = $1 AND p.team = $2
        """
    /// The key as a subquery, and the place of NULL, let the server read the index of projects and numbers in its order.
    private static let page = """
        SELECT \(IssueRow.columns) FROM issue i \(IssueRow.users)
        WHERE i.project = (SELECT _id FROM project WHERE key = $1 AND team = $2)
            AND i.priority <= $3 AND i.number > $4
        ORDER BY i.number NULLS FIRST LIMIT $5
        """
    /// The change and its job. No board of another server shows it.
    private static let change = change("")
    /// The same with the rows of the history that the tracker writes, by which all servers' boards follow.
    private static let recordedChange = change(
        """
        , number AS MATERIALIZED (
            SELECT nextval('_howdah_history_number') AS number, (SELECT slot FROM _howdah_history_current) AS slot
            FROM changed
        ), history AS (
            INSERT INTO _howdah_history (slot, number, part, origin, entity, kind, properties, ids, process)
            SELECT n.slot, n.number, p.part, 0, p.entity, p.kind, p.properties, ARRAY[p.id], 'ServerWithSQL'
            FROM number n, (
                SELECT 0, 'Job', 0, NULL, _id FROM caused
                UNION ALL
                SELECT 1, 'Issue', 1, array_remove(ARRAY[CASE WHEN $6 IS NOT NULL THEN 'priority' END,
                    CASE WHEN $5 IS NOT NULL THEN 'text' END, CASE WHEN $4 IS NOT NULL THEN 'title' END], NULL), _id
                FROM changed
            ) p(part, entity, kind, properties, id)
        )
        """)

    private static func change(_ parts: String) -> String {
        """
        WITH changed AS (
            UPDATE issue SET title = coalesce($4, issue.title), text = coalesce($5, issue.text),
                priority = coalesce($6, issue.priority), _version = issue._version + 1
            FROM project p WHERE issue._id = $1 AND issue._version = $3 AND p._id = issue.project AND p.team = $2
            RETURNING issue.*
        ), caused AS (
            INSERT INTO job (kind, payload, run_at) SELECT 'notifyWatchers',
                jsonb_build_object('issue', $7::text, 'subject', 'Issue ' || number || ' changed'), now() FROM changed
            RETURNING _id
        )\(parts)
        SELECT \(IssueRow.columns) FROM changed i \(IssueRow.users)
        """
    }

    func issue(_ id: Int64, of team: Int64) throws -> IssueRow? {
        var parameters = Parameters()
        parameters.append(id)
        parameters.append(team)
        return try query(Self.one, parameters).first(IssueRow.init)
    }

    /// Returns one issue more than the limit, if there are so many.
    func issues(
        of project: String, _ team: Int64, priority: Int16, after number: Int64, limit: Int64
    ) throws -> [IssueRow] {
        var parameters = Parameters()
        try parameters.append(project)
        parameters.append(team)
        parameters.append(.int2) { $0.int16(priority) }
        parameters.append(number)
        parameters.append(limit + 1)
        return try query(Self.page, parameters).map(IssueRow.init)
    }

    /// Returns nil if the issue has another version, or does not exist.
    func change(
        _ id: Int64, of team: Int64, version: Int64, _ patch: IssuePatch, recorded: Bool
    ) throws -> IssueRow? {
        var parameters = Parameters()
        parameters.append(id)
        parameters.append(team)
        parameters.append(version)
        for text in [patch.title, patch.text] {
            if let text { try parameters.append(text) } else { parameters.appendNull(.text) }
        }
        if let priority = patch.priority {
            parameters.append(.int2) { $0.int16(priority) }
        } else {
            parameters.appendNull(.int2)
        }
        try parameters.append("Issue-p\(id)")
        return try query(recorded ? Self.recordedChange : Self.change, parameters).first(IssueRow.init)
    }
}

/// The properties that the comparison can change.
struct IssuePatch: Decodable, Sendable {
    let title: String?
    let text: String?
    let priority: Int16?
}
