internal import CLibPQ

extension ConnectionConfiguration {
    /// The variables of libpq that name a place. Others, such as `PGUSER`, only complete an address.
    package static let placeVariables = ["PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE"]

    /// Returns a connection string from libpq's variables; nil if none of them names a place.
    ///
    /// Variables that libpq reads itself, such as `PGSERVICEFILE`, apply as always.
    package static func connectionString(of environment: [String: String]) -> String? {
        guard placeVariables.contains(where: { environment[$0]?.isEmpty == false }),
            let options = PQconndefaults()
        else { return nil }
        defer { PQconninfoFree(options) }
        // libpq reads the service's file, and its host counts before those of the environment.
        if let service = environment["PGSERVICE"], !service.isEmpty { return "service=\(quoted(service))" }
        var parts: [String] = []
        var option = options
        while let keyword = option.pointee.keyword {
            let value = option.pointee.envvar.flatMap { environment[String(cString: $0)] } ?? ""
            if !value.isEmpty { parts.append("\(String(cString: keyword))=\(quoted(value))") }
            option += 1
        }
        return parts.joined(separator: " ")
    }

    private static func quoted(_ value: String) -> String {
        "'" + value.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }

    /// The database, host, port and role, with libpq's own values for those that are not set.
    ///
    /// A service of the connection string is named instead: only libpq reads its file.
    package var place: String {
        var values: [String: String] = [:]
        if let options = PQconndefaults() {
            defer { PQconninfoFree(options) }
            var option = options
            while let keyword = option.pointee.keyword {
                if let value = option.pointee.val {
                    values[String(cString: keyword)] = String(cString: value)
                }
                option += 1
            }
        }
        values.merge(allKeywords) { _, own in own }
        if let service = allKeywords["service"], !service.isEmpty { return "the service \(service)" }
        let role = values["user"] ?? ""
        let host = values["host"] ?? values["hostaddr"] ?? ""
        let ports = values["port"].map { ", port \($0)" } ?? ""
        return
            "database \(values["dbname"] ?? role) on \(host.isEmpty ? "the local socket" : host)\(ports) as role \(role)"
    }
}
