import HowdahModel
import HowdahRuntime
import PQClient

/// Reads formats, and asks a model whether they fit.
struct PredicateInspection {
    let model: ManagedObjectModel?
    let store: PreviewStore?
    /// The entity that formats are for where the file names none; nil tries all of them.
    let entity: String?

    /// Only reads formats.
    init() {
        model = nil
        store = nil
        entity = nil
    }

    /// Asks a model, too.
    ///
    /// - Throws: ``ModelError``; ``FetchError`` for an entity that the model does not have.
    init(_ model: ManagedObjectModel, schema: String, entity: String?) throws {
        self.model = model
        self.entity = entity
        let store = try PreviewStore(model, schemaName: schema)
        self.store = store
        if let entity { _ = try store.fetch(entity, where: nil) }
    }

    /// What there is to say about a format, and the statement where there is one.
    func finding(_ line: FormatLine, arguments texts: [String]) -> (PredicateFinding, FetchPreview?) {
        var finding = PredicateFinding(line)
        var keyPaths: [[String]] = []
        do {
            let arguments = try FormatArguments(of: line.format, given: texts)
            let tree = try PredicateTree(format: line.format, arguments: arguments.values)
            finding.canonical = tree.description
            keyPaths = tree.keyPaths
            guard let model, let store else { return (finding, nil) }
            if arguments.hasOpenKeys {
                finding.note = "read only: %K has no key path without --argument"
                return (finding, nil)
            }
            let preview = try fit(tree, line, SampleArguments(model: model), store, &finding)
            finding.sql = preview?.sql
            finding.parameters = preview?.parameters.texts
            return (finding, preview)
        } catch let error as FetchError {
            finding.error = PredicateFinding.Complaint(error)
        } catch {
            finding.error = PredicateFinding.Complaint(
                error as? PredicateTreeError ?? PredicateTreeError(.invalidOperand, "\(error)"),
                in: line.format, keyPaths)
        }
        return (finding, nil)
    }

    private func fit(
        _ tree: PredicateTree, _ line: FormatLine, _ samples: SampleArguments, _ store: PreviewStore,
        _ finding: inout PredicateFinding
    ) throws -> FetchPreview? {
        if let name = line.entity ?? entity {
            let preview = try preview(tree, name, samples, store)
            finding.entities = [name]
            return preview
        }
        var fitting: [(name: String, preview: FetchPreview)] = []
        var errors: [PredicateTreeError] = []
        for entity in samples.model.entities {
            do {
                fitting.append((entity.name, try preview(tree, entity.name, samples, store)))
            } catch let error as PredicateTreeError {
                errors.append(error)
            }
        }
        finding.entities = fitting.map(\.name)
        // Where all names are known, the rest is what is wrong; else a name that is nearly right.
        let nearest =
            errors.first { $0.code != .unknownKey } ?? errors.first { $0.message.contains("did you mean") }
            ?? errors.first
        if fitting.isEmpty, let nearest {
            throw PredicateTreeError(
                nearest.code, "It fits no entity of the model; of the nearest one: \(nearest.message)",
                format: nearest.format, position: nearest.position, token: nearest.token)
        }
        return fitting.first?.preview
    }

    private func preview(
        _ tree: PredicateTree, _ entity: String, _ samples: SampleArguments, _ store: PreviewStore
    ) throws -> FetchPreview {
        var first: (any Error)?
        for candidate in try samples.candidates(for: tree, entity: entity) {
            do {
                return try store.fetch(entity, where: candidate)
            } catch {
                first = first ?? error
            }
        }
        throw first
            ?? PredicateTreeError(.invalidOperand, "Nothing stands for its arguments; give --argument.")
    }
}
