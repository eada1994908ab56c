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
            // The encoding is always UTF-8.
            if !value.isEmpty, String(cString: keyword) != "client_encoding" {
                parts.append("\(String(cString: keyword))=\(quoted(value))")
            }
            option += 1
        }
        return parts.joined(separator: " ")
    }

    private static func quoted(_ value: String) -> String {
        "'" + value.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }

    /// The database, host, port and role, with libpq's own values for those that are not set.
    ///
    /// If the string names a service, whose file only libpq reads, a session is opened to find out.
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
        if let service = allKeywords["service"], !service.isEmpty {
            guard let connection = try? Connection(self) else { return "the service \(service)" }
            defer { connection.close() }
            return "\(connection.place) (service \(service))"
        }
        // A host of the string is not looked for at an address of the environment.
        if allKeywords["host"] != nil { values["hostaddr"] = nil }
        values.merge(allKeywords) { _, own in own }
        let user = values["user"] ?? ""
        let (named, address) = (values["host"] ?? "", values["hostaddr"] ?? "")
        return Self.place(
            database: values["dbname"] ?? user,
            host: named.isEmpty || address.isEmpty ? named + address : "\(named) at \(address)",
            port: values["port"] ?? "", role: Self.role(inOptions: values["options"] ?? "") ?? user)
    }

    /// Returns the role that options such as `-c role=name` set after the login; nil if they set none.
    package static func role(inOptions options: String) -> String? {
        var words: [String] = [""]
        var isEscaped = false
        for character in options {
            if isEscaped || character != "\\" && !character.isWhitespace {
                words[words.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                words.append("")
            }
        }
        var role: String?
        var isSetting = false
        for word in words where !word.isEmpty {
            if word == "-c" {
                isSetting = true
                continue
            }
            let prefix = word.hasPrefix("--") ? 2 : word.hasPrefix("-c") ? 2 : isSetting ? 0 : nil
            isSetting = false
            guard let prefix else { continue }
            let parts = word.dropFirst(prefix).split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == "role" {
                role = parts[1] == "none" ? nil : String(parts[1])
            }
        }
        return role
    }

    static func place(database: String, host: String, port: String, role: String) -> String {
        let ports = port.allSatisfy { $0 == "," } ? "" : ", port \(port)"
        return
            "database \(database) on \(host.isEmpty ? "the local socket" : host)\(ports) as role \(role)"
    }
}

extension Connection {
    /// The database, host, port and role of the session.
    var place: String {
        func text(_ value: UnsafeMutablePointer<CChar>?) -> String { value.map { String(cString: $0) } ?? "" }
        return ConnectionConfiguration.place(
            database: text(PQdb(handle)), host: text(PQhost(handle)), port: text(PQport(handle)),
            role: text(PQuser(handle)))
    }
}
