import HowdahDiagram
import HowdahModel
import Synchronization

/// The drawing of a model, made when the first page needs it, and of the part that was shown last.
final class KeptDrawing: Sendable {
    private let model: ManagedObjectModel
    private let kept = Mutex<(svg: String, areas: [EntityArea])?>(nil)
    private let part = Mutex<(names: Set<String>, svg: String, areas: [EntityArea])?>(nil)

    init(_ model: ManagedObjectModel) { self.model = model }

    var value: (svg: String, areas: [EntityArea]) {
        kept.withLock { kept in
            if let kept { return kept }
            let drawing = ModelDiagram(model).drawing()
            kept = drawing
            return drawing
        }
    }

    /// Returns the drawing of some entities.
    func part(_ names: Set<String>) -> (svg: String, areas: [EntityArea]) {
        part.withLock { part in
            if let part, part.names == names { return (part.svg, part.areas) }
            let (svg, areas) = ModelDiagram(model).drawing(of: names)
            part = (names, svg, areas)
            return (svg, areas)
        }
    }
}
