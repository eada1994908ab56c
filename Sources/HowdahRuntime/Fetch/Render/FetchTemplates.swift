import HowdahModel
import PQClient

/// The statements of fetches that were rendered before, by their shapes.
///
/// Rendering was a third of the client's instructions for a query of 20 rows.
final class FetchTemplates: StoreCache {
    /// The maximum number of shapes. If there are more, all are forgotten, because a program rarely has as many.
    private static let limit = 512

    private let known = Guarded<[FetchShape: FetchTemplate]>([:])

    /// The number of shapes.
    var count: Int { known.locked { $0.count } }

    func template(of shape: FetchShape) -> FetchTemplate? { known.locked { $0[shape] } }

    func add(_ template: FetchTemplate, for shape: FetchShape) {
        known.locked { known in
            if known.count >= Self.limit { known.removeAll() }
            known[shape] = template
        }
    }
}

/// A rendered fetch with places for the values that its predicate compares with.
///
/// A value may change the text: a number beyond a column's type is compared in another type. So each value is made a
/// parameter again, and if the text would differ, the fetch is rendered.
final class FetchTemplate: Sendable {
    private let statement: FetchStatement
    private let resolver: KeyPathResolver
    private let bindings: [PredicateRenderer.Binding]

    /// - Returns: Nil if some parameters are not values of the comparisons, each of which makes one or none.
    init?(
        _ statement: FetchStatement, _ shape: FetchShape, _ resolver: KeyPathResolver,
        _ bindings: [PredicateRenderer.Binding]
    ) {
        let ends = (shape.hasLimit ? 1 : 0) + (shape.hasOffset ? 1 : 0)
        guard bindings.count == shape.comparisons.count, statement.parameters.count == bindings.count + ends
        else { return nil }
        // The values of the first fetch are not kept.
        self.statement = statement.with(Parameters(), limit: 0, offset: 0)
        self.resolver = resolver
        self.bindings = bindings
    }

    /// Returns the statement with other values; nil if their text differs, or if one is an error.
    func statement(_ values: [Value], limit: Int, offset: Int) -> FetchStatement? {
        guard values.count == bindings.count else { return nil }
        var renderer = PredicateRenderer(resolver: resolver, parameters: Parameters())
        for (value, binding) in zip(values, bindings) where !renderer.binds(value, as: binding) { return nil }
        return statement.with(renderer.parameters, limit: limit, offset: offset)
    }
}

extension PredicateRenderer {
    /// A value that became a parameter.
    enum Binding {
        /// By comparison with a column, whose text and that of the parameter follow.
        case column(ResolvedColumn, text: String, parameter: String)
        /// As the key of an object of an entity.
        case key(entity: String)
    }

    /// Makes a value a parameter as another one before.
    ///
    /// - Returns: False if the text would differ, or if the value is an error.
    fileprivate mutating func binds(_ value: Value, as binding: Binding) -> Bool {
        switch binding {
        case .key(let entity):
            guard case .reference(let reference) = value, reference.entity == entity else { return false }
            parameters.append(reference.key)
            return true
        case .column(let column, let text, let parameter):
            guard let bound = try? bind(value, against: column) else { return false }
            return bound.column == text && bound.parameter == parameter
        }
    }
}
