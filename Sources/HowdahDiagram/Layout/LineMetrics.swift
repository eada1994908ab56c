/// The sizes of lines and of what stands at their ends.
enum LineMetrics {
    static let trackWidth = 9
    static let labelHeight = 11
    /// In tenths of a unit.
    static let labelFont = 100
    /// The length of a diamond or of an arrow's head.
    static let headLength = 13

    /// From the box's border to the label.
    static func labelDistance(_ end: Connection.End, _ kind: Connection.Kind) -> Int {
        end.cascades || kind == .oneWay ? headLength + 3 : 5
    }

    /// From the box's border to where the line may turn.
    static func stubLength(_ end: Connection.End, _ kind: Connection.Kind) -> Int {
        guard !end.cardinality.isEmpty else {
            return kind == .inheritance || end.cascades ? headLength + 8 : 10
        }
        return labelDistance(end, kind) + TextWidth.of(end.cardinality, size: labelFont) + 7
    }
}
