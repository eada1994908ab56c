import HowdahModel
import PQClient

extension _RowReader {
    /// Reads the destination of the to-one relationship in `slot`.
    ///
    /// If the foreign key is in the destination's table, it reads nothing, and the destination stays unknown.
    public mutating func toOne(_ slot: Int) -> _ToOneField {
        let shape = layout.toOneShapes[slot]
        guard shape.isForeignKey else { return shape.isTransient ? .none : .unknown }
        let cell = next()
        guard shape.hasEntityColumn else {
            return cell.isNull
                ? .none : _ToOneField(key: cell.int64, entity: shape.destination, object: nil)
        }
        let entity = next()
        if cell.isNull { return .none }
        let name = entity.isNull ? "" : entity.string()
        guard let destination = layout.directory.index(ofStoredName: name) else {
            note(FetchError.unknownStoredEntity(name, in: layout.name))
            return .none
        }
        return _ToOneField(key: cell.int64, entity: Int32(destination), object: nil)
    }
}
