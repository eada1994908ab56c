/// The places in a program that a match has reached.
struct PatternRun {
    private let program: PatternProgram
    /// The instructions that take a scalar, and the last one if the text so far matches.
    private(set) var places: [Int] = []
    private var next: [Int] = []
    private var unfollowed: [Int] = []
    /// The last step in which each instruction was reached.
    private var marks: [Int]
    private var step = 1

    /// Begins at the program's first instruction.
    init(_ program: PatternProgram) {
        self.program = program
        marks = Array(repeating: 0, count: program.instructions.count)
        reach(0)
        swap(&places, &next)
    }

    /// Indicates whether the scalars taken so far match as a whole.
    var isAccepted: Bool { places.contains(program.instructions.count - 1) }

    /// Continues from these places instead.
    mutating func move(to places: [Int]) { self.places = places }

    /// Takes one scalar, in time proportional to the size of the program.
    mutating func take(_ value: UInt32) {
        step += 1
        next.removeAll(keepingCapacity: true)
        for place in places {
            let takes =
                switch program.instructions[place] {
                case .scalar(let wanted): wanted == value
                case .member(let number): program.sets[number].contains(value)
                case .branch, .jump, .accept: false
                }
            if takes { reach(place + 1) }
        }
        swap(&places, &next)
    }

    /// Adds the places that are reached from an instruction without taking a scalar.
    private mutating func reach(_ start: Int) {
        var place = start
        while true {
            if marks[place] != step {
                marks[place] = step
                switch program.instructions[place] {
                case .scalar, .member, .accept: next.append(place)
                case .jump(let distance):
                    place += distance
                    continue
                case .branch(let distance):
                    unfollowed.append(place + distance)
                    place += 1
                    continue
                }
            }
            guard let other = unfollowed.popLast() else { return }
            place = other
        }
    }
}
