import Foundation
import Howdah
import HowdahModel
import HowdahModelFile
import HowdahTesting
import ModelCorpus
import Testing

/// The predicates of real programs run against the schemas of their own models.
@Suite(.enabled(if: Corpus.folder != nil, Comment(rawValue: Corpus.absence)))
struct CorpusPredicateTests {
    private struct Line {
        let format: String
        let projects: [String]
    }

    /// An entity that has all properties that a predicate names, and the predicate with values of their types.
    private struct Fit {
        let format: String
        let entity: String
        let tree: PredicateTree
    }

    @Test func predicatesRunWhereTheirKeyPathsFit() async throws {
        let lines = try Self.lines()
        var fitting: Set<String> = []
        var ran = 0
        var failures: [String] = []
        var unsuited = 0
        for (project, url) in Corpus.files {
            guard let file = try? ModelFile(at: url),
                let version = Corpus.versions.first(where: { $0.file == url && $0.isCurrent }),
                let model = try? file.contents(version: version.name).model
            else { continue }
            let fits = lines.filter { $0.projects.contains(project) }.flatMap { Self.fits($0.format, model) }
            if fits.isEmpty { continue }
            do {
                let results = try await withTemporaryStore(model) { container in
                    try await container.perform { context in fits.map { Self.run($0, in: context) } }
                }
                for (fit, failure) in zip(fits, results) {
                    // The names are there, but of another kind than where the program asks for them.
                    if let failure = failure as? PredicateTreeError,
                        [.invalidOperand, .argumentType].contains(failure.code)
                    {
                        unsuited += 1
                    } else if let failure {
                        failures.append("\(project) \(fit.entity): \(fit.tree): \(failure)")
                    } else {
                        ran += 1
                        fitting.insert(fit.format)
                    }
                }
            } catch let error as StoreError where error.code == .invalidModel {
                continue
            }
        }
        print(
            "corpus: \(fitting.count) of \(lines.count) formats fit an entity of their project, in \(ran) pairs that ran; "
                + "\(unsuited) pairs have the names with other types"
        )
        #expect(failures.isEmpty, "\(failures.prefix(10).joined(separator: "\n"))")
        #expect(fitting.count >= 50, "\(fitting.count)")
    }

    /// What went wrong; nil where the predicate ran.
    private static func run(_ fit: Fit, in context: ManagedObjectContext) -> (any Error)? {
        var request = FetchRequest<ManagedObject>(entityName: fit.entity)
        request.predicate = fit.tree
        do {
            _ = try context.count(for: request)
            _ = try context.fetch(request)
            return nil
        } catch {
            context.clearFailure()
            return error
        }
    }

    private static func lines() throws -> [Line] {
        let folder = try #require(Corpus.folder)
        let file = folder.deletingLastPathComponent().appending(path: "predicates.tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(fields.count > 4)
            var format = fields[2]
            if format.hasPrefix("\""), format.hasSuffix("\"") {
                format = String(format.dropFirst().dropLast()).replacingOccurrences(of: "\"\"", with: "\"")
            }
            return Line(format: format, projects: fields[4].split(separator: ",").map(String.init))
        }
    }

    /// Formats that name their key paths themselves, with the entities that have them.
    private static func fits(_ format: String, _ model: ManagedObjectModel) -> [Fit] {
        guard !format.contains("%K"), let tree = tree(format), !tree.keyPaths.isEmpty else { return [] }
        return model.entities.compactMap { entity in
            let paths = tree.keyPaths.filter { !$0.isEmpty }
            guard !paths.isEmpty, paths.allSatisfy({ model.end(of: $0, from: entity.name) != nil }) else {
                return nil
            }
            let root = tree.root.withArguments { model.end(of: $0, from: entity.name) }
            return Fit(format: format, entity: entity.name, tree: PredicateTree(root))
        }
    }

    private static let marker = "argument"

    private static func tree(_ format: String) -> PredicateTree? {
        var arguments: [(any Sendable)?] = []
        var rest = format[...]
        while let percent = rest.firstIndex(of: "%") {
            let before = format[..<percent].uppercased()
            rest = rest[rest.index(after: percent)...].drop { "hlqz".contains($0) }
            switch rest.first {
            case "@":
                let isPair = before.hasSuffix("BETWEEN ")
                let isList = ["IN ", "IN (", "IN[N] ", "IN[C] "].contains(where: before.hasSuffix)
                if isPair || isList {
                    arguments.append(isPair ? [marker, marker] : [marker])
                } else {
                    arguments.append(marker)
                }
            case "d", "u", "i": arguments.append(1)
            case "f", "a": arguments.append(1.5)
            default: break
            }
        }
        let tree = try? PredicateTree(format: format, arguments: arguments)
        return tree?.variables.isEmpty == true ? tree : nil
    }
}

/// Where a key path ends.
private enum PathEnd {
    case attribute(AttributeType)
    case objects(entity: String)
    case number
}

extension ManagedObjectModel {
    /// Where the database can follow a key path to; nil where it cannot.
    fileprivate func end(of path: [String], from entity: String) -> PathEnd? {
        var place = entity
        for (position, name) in path.enumerated() {
            if name == "@count" { return .number }
            guard let property = property(named: name, of: place) else { return nil }
            switch property.kind {
            case .relationship(let relationship):
                if relationship.isTransient { return nil }
                place = relationship.destination
            case .attribute(let attribute):
                return attribute.isStored && position == path.count - 1 ? .attribute(attribute.type) : nil
            }
        }
        return .objects(entity: place)
    }
}

extension PredicateTree.Node {
    /// The condition with values of the right types in place of arguments.
    fileprivate func withArguments(_ end: ([String]) -> PathEnd?) -> Self {
        switch self {
        case .and(let members): return .and(members.map { $0.withArguments(end) })
        case .or(let members): return .or(members.map { $0.withArguments(end) })
        case .not(let inner): return .not(inner.withArguments(end))
        case .constant, .invalid: return self
        case .comparison(let lhs, let op, let rhs, let options, let modifier):
            return .comparison(
                lhs: lhs.replacing(by: rhs.end(end), op), op: op, rhs: rhs.replacing(by: lhs.end(end), op),
                options: options, modifier: modifier)
        }
    }
}

extension PredicateTree.Expression {
    fileprivate func end(_ end: ([String]) -> PathEnd?) -> PathEnd? {
        switch self {
        case .keyPath(let path): end(path)
        case .evaluatedObject: .objects(entity: "Any")
        case .function: .number
        default: nil
        }
    }

    fileprivate func replacing(by end: PathEnd?, _ op: PredicateTree.Operator) -> Self {
        switch self {
        case .constant(.string("argument")): .constant(end?.example ?? .string("argument"))
        case .collection(let values):
            .collection(values.map { $0 == .string("argument") ? end?.example ?? $0 : $0 })
        default: self
        }
    }
}

extension PathEnd {
    fileprivate var example: Value {
        switch self {
        case .number: .int(1)
        case .objects(let entity): .reference(ObjectReference(key: 1, entity: entity))
        case .attribute(let type):
            switch (type.element ?? type).kind {
            case .integer16, .integer32, .integer64: .int(1)
            case .decimal: .decimal(1)
            case .double, .float: .double(1)
            case .boolean: .bool(true)
            case .date: .date(Date(timeIntervalSinceReferenceDate: 1))
            case .binary, .transformable: .data(Data([1]))
            case .uuid: .uuid(UUID())
            default: .string("argument")
            }
        }
    }
}
