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
            let tree: PredicateTree
            do {
                tree = try PredicateTree(format: line.format, arguments: arguments.values)
            } catch {
                // An unknown key comes first: the rest may follow from it.
                guard error.code == .invalidOperand, !arguments.hasOpenKeys,
                    let paths = PredicateTree.keyPaths(ofFormat: line.format, arguments: arguments.values)
                else { throw error }
                keyPaths = paths
                throw try unknownKey(in: paths, line) ?? error
            }
            finding.canonical = tree.description
            keyPaths = tree.keyPaths
            guard let model, let store else { return (finding, nil) }
            if arguments.hasOpenKeys {
                finding.note = "only parsed, because %K has no key path. Add --argument to check the format."
                return (finding, nil)
            }
            let preview = try fit(tree, line, SampleArguments(model: model), store, &finding)
            let warnings = EntityNames(model).warnings(about: tree, in: line.format)
            if !warnings.isEmpty { finding.warnings = warnings }
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

    /// The unknown key to name if operands do not suit their operators; nil if some entity has all keys.
    private func unknownKey(in keyPaths: [[String]], _ line: FormatLine) throws -> PredicateTreeError? {
        guard let model, let store else { return nil }
        if let name = line.entity ?? entity {
            return try store.unknownKeys(in: keyPaths, of: name).first?.error
        }
        let misfits = try model.entities.map { try Misfit($0.name, keyPaths, store) }
        guard misfits.allSatisfy({ !$0.unknownKeys.isEmpty }) else { return nil }
        return Misfit.nearest(of: misfits)?.error?.ofNearest
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
        var misfits: [Misfit] = []
        for entity in samples.model.entities {
            var misfit = try Misfit(entity.name, tree.keyPaths, store)
            do {
                fitting.append((entity.name, try preview(tree, entity.name, samples, store)))
            } catch let error as PredicateTreeError {
                misfit.error = error
                misfits.append(misfit)
            }
        }
        finding.entities = fitting.map(\.name)
        if fitting.isEmpty, let error = Misfit.nearest(of: misfits)?.error { throw error.ofNearest }
        return fitting.first?.preview
    }

    private func preview(
        _ tree: PredicateTree, _ entity: String, _ samples: SampleArguments, _ store: PreviewStore
    ) throws -> FetchPreview {
        if let unknown = try store.unknownKeys(in: tree.keyPaths, of: entity).first { throw unknown.error }
        var first: (any Error)?
        for candidate in try samples.candidates(for: tree, entity: entity) {
            do {
                return try store.fetch(entity, where: candidate)
            } catch {
                first = first ?? error
            }
        }
        throw first
            ?? PredicateTreeError(
                .invalidOperand, "The arguments of the format have no sample values. Add --argument.")
    }
}

extension PredicateTreeError {
    /// The error of the entity that a format fits best.
    fileprivate var ofNearest: PredicateTreeError {
        PredicateTreeError(
            code, "The format fits no entity of the model. The error of the nearest one: \(message)",
            format: format,
            position: position, token: token)
    }
}
