internal import Foundation

extension ManagedObjectModel {
    /// Reads a model from its text and replaces its class names by these, which are by the entities' names.
    ///
    /// It changes the text and not the model, so that all its other content stays.
    ///
    /// - Throws: The errors of `init(canonicalJSON:)`.
    package init(canonicalJSON text: String, classNames: [String: String]) throws {
        let json: CanonicalJSON
        do {
            json = try JSONDecoder().decode(CanonicalJSON.self, from: Data(text.utf8))
        } catch let error as DecodingError {
            throw ModelError(error)
        }
        try self.init(canonicalJSON: json.naming(classNames).text)
    }
}

extension CanonicalJSON {
    fileprivate func naming(_ classNames: [String: String]) -> CanonicalJSON {
        guard case .object(var model) = self, case .array(let entities) = model["entities"] else {
            return self
        }
        model["entities"] = .array(
            entities.map { entity in
                guard case .object(var content) = entity, case .string(let name) = content["name"],
                    let className = classNames[name]
                else { return entity }
                content["className"] = .string(className)
                return .object(content)
            })
        return .object(model)
    }
}
