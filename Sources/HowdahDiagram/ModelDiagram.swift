package import HowdahModel

/// A model as a picture for people: its entities, their inheritance and their relationships.
///
/// Equal models give the same bytes on every machine, so a diagram can be kept beside its model and compared.
package struct ModelDiagram: Sendable {
    let model: ManagedObjectModel

    /// Makes the diagram of `model`; nothing is laid out before a text is asked for.
    package init(_ model: ManagedObjectModel) { self.model = model }

    /// A complete SVG document that follows the reader's light or dark appearance and refers to nothing outside.
    ///
    /// Boxes list an entity's own properties. A line joins a relationship and its inverse, with the number of
    /// destinations at each end; a relationship without inverse is dashed, one that cascades begins with a diamond,
    /// and a hollow arrow leads to a superentity.
    package var svg: String { SVGDocument(DiagramLayout(DiagramContent(model))).text }

    /// A Mermaid class diagram, for documents that render such text.
    ///
    /// Mermaid's entity diagrams know no inheritance, its class diagrams say all that ``svg`` says.
    package var mermaid: String { MermaidDocument(DiagramContent(model)).text }
}
