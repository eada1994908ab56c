import HowdahModel

extension StoreFetch {
    /// A request with its names resolved, or its statement if one of its shape was rendered before.
    enum Resolution {
        case known(FetchStatement)
        /// With the relationships to join. The shape is nil if its statement cannot be kept, or has been.
        case names(ResolvedFetch, joining: [Int], shape: FetchShape?)
    }

    func names<Object: ManagedObject>(
        _ request: FetchRequest<Object>, _ layout: EntityLayout, ordered: Bool = true
    ) throws -> ResolvedFetch {
        try ResolvedFetch(request, layout: layout, layouts: context.layouts, ordered: ordered)
    }

    /// Resolves the names of a request, unless a template has its statement, and the values do not change that.
    func resolve<Object: ManagedObject>(
        _ request: FetchRequest<Object>, _ layout: EntityLayout
    ) throws -> Resolution {
        var values: [Value] = []
        let joined = JoinedDestination.slots(of: request, layout, in: context)
        guard let shape = FetchShape(request, of: layout, joining: joined, &values) else {
            return .names(try names(request, layout), joining: joined, shape: nil)
        }
        guard let template = templates.template(of: shape) else {
            return .names(try names(request, layout), joining: joined, shape: shape)
        }
        guard
            let statement = template.statement(
                values, limit: request.fetchLimit, offset: request.fetchOffset)
        else { return .names(try names(request, layout), joining: joined, shape: nil) }
        return .known(statement)
    }

    /// Keeps the statement for the next fetch of its shape, if that is possible.
    func keep(_ statement: FetchStatement, of rendered: RenderedFetch, _ shape: FetchShape) {
        let resolver = KeyPathResolver(layouts: context.layouts)
        guard let template = FetchTemplate(statement, shape, resolver, rendered.bindings) else { return }
        templates.add(template, for: shape)
    }

    private var templates: FetchTemplates { context.store.caches.cache(FetchTemplates.self) }
}
