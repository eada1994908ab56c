import HowdahModel
import Testing

@testable import HowdahDiagram

@Suite struct LayoutTests {
    private func layout(_ model: ManagedObjectModel) -> DiagramLayout { DiagramLayout(DiagramContent(model)) }

    @Test func everythingHasAPlaceOfItsOwn() throws {
        let layout = layout(try SampleModels.everything())
        #expect(LayoutFaults(layout: layout).all == [])
        #expect(layout.frames.count == 6)
        #expect(layout.lines.map(\.connection) == Array(layout.content.connections.indices))
    }

    @Test(arguments: 1...4) func aLargeModelIsLegible(seed: UInt64) throws {
        let layout = layout(try SampleModels.large(seed: seed))
        #expect(layout.content.boxes.count == 72)
        #expect(layout.content.connections.filter { $0.kind == .relationship }.count == 42)
        #expect(LayoutFaults(layout: layout).all == [])
        #expect(layout.width < 2 * layout.height && layout.height < 2 * layout.width)
    }

    @Test(arguments: 1...60) func randomModelsHaveNoFaults(seed: UInt64) throws {
        let layout = layout(try SampleModels.random(seed: seed))
        #expect(LayoutFaults(layout: layout).all == [], "seed \(seed)")
        #expect(layout.lines.map(\.connection) == Array(layout.content.connections.indices))
    }

    @Test func nothingAtAllIsAnEmptyDrawing() throws {
        let layout = layout(try ManagedObjectModel(entities: []))
        #expect((layout.width, layout.height) == (2 * DiagramLayout.margin, 2 * DiagramLayout.margin))
    }

    @Test func orderFollowsTheLines() throws {
        // Declared so that every line would cross every other one.
        let left = (0..<6).map { number in
            EntityDescription("L\(number)", properties: [.relationship("r", to: "R\(5 - number)")])
        }
        let right = (0..<6).map { EntityDescription("R\($0)") }
        let hub = EntityDescription("Hub", properties: (0..<6).map { .relationship("h\($0)", to: "L\($0)") })
        let layout = layout(try ManagedObjectModel(entities: left + right + [hub]))
        #expect(LayoutFaults(layout: layout).crossings <= 2)
    }

    @Test func aChannelKeepsLinesApart() {
        // Both go down; the upper one has to turn farther to the right, or they would cross twice.
        let nested = Channel([.init(left: [10], right: [50]), .init(left: [20], right: [60])])
        #expect(nested.tracks == [1, 0])
        // Where the first leaves, the second enters: it has to turn before it meets the first one's way out.
        let chained = Channel([.init(left: [10], right: [50]), .init(left: [50], right: [90])])
        #expect(chained.tracks == [1, 0])
        #expect(chained.conflict == nil)
        // Two that change places would run on top of one another in either order.
        let exchanged = Channel([.init(left: [10], right: [50]), .init(left: [50], right: [10])])
        #expect(exchanged.conflict == 10 || exchanged.conflict == 50)
        let straight = Channel([.init(left: [10], right: [10])])
        #expect(straight.tracks == [nil])
        #expect(straight.trackCount == 0)
        let apart = Channel([.init(left: [10], right: [20]), .init(left: [100], right: [120])])
        #expect(apart.tracks == [0, 0])
    }

    @Test func theFaultFinderFindsFaults() throws {
        var layout = layout(try SampleModels.everything())
        layout.frames[3] = layout.frames[0]
        layout.labels[0].frame = layout.frames[1]
        layout.labels[1].frame = layout.labels[2].frame
        layout.lines[2].points = layout.lines[3].points
        let wall = layout.frames[2]
        layout.lines[4].points = [Point(x: 0, y: wall.y + 9), Point(x: wall.maxX + 9, y: wall.y + 9)]
        let faults = LayoutFaults(layout: layout)
        #expect(!faults.boxes.isEmpty)
        #expect(faults.labels.count >= 2)
        #expect(!faults.ends.isEmpty)
        #expect(!faults.passages.isEmpty)
        #expect(!faults.runs.isEmpty)
    }

    @Test func textIsMeasuredByItsCharacters() {
        #expect(TextWidth.of("iiii", size: 100) < TextWidth.of("WWWW", size: 100))
        #expect(TextWidth.of("e\u{301}", size: 100) == TextWidth.of("e", size: 100))
        #expect(TextWidth.of("日", size: 100) > TextWidth.of("n", size: 100))
        #expect(TextWidth.of("name", size: 100, bold: true) > TextWidth.of("name", size: 100))
        #expect(TextWidth.of("", size: 100) == 0)
    }
}
