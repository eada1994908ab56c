internal import Synchronization

/// A matcher of whole texts with a regular expression, in time proportional to their length.
///
/// It follows all ways through the pattern at once. The sets of places that it reaches are kept as states, up
/// to a limit. Most scalars then take one look into a table.
final class PatternMatcher: Sendable {
    private let program: PatternProgram
    private let classes: ScalarClasses
    private let known: Mutex<PatternStates>

    /// Compiles a pattern. If it is too large, the matcher is nil.
    init?(_ root: PatternNode) {
        guard let program = PatternProgram(root) else { return nil }
        self.program = program
        classes = ScalarClasses(program)
        known = Mutex(PatternStates(program, classes: classes.count))
    }

    /// Returns true if the whole of a text matches.
    func matches(_ text: String) -> Bool {
        var states = known.withLock { $0 }
        let entries = states.entries
        let isMatch = matches(text, &states)
        if states.entries > entries {
            known.withLock { if states.entries > $0.entries { $0 = states } }
        }
        return isMatch
    }

    private func matches(_ text: String, _ states: inout PatternStates) -> Bool {
        var run: PatternRun?
        var state = PatternStates.start
        var scalars = text.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            let column = classes[scalar.value]
            var following = states.following(state, column)
            if following < 0 {
                var found = run.take() ?? PatternRun(program)
                found.move(to: states.places(of: state))
                found.take(scalar.value)
                guard let number = states.note(found.places, after: state, column) else {
                    return matches(&scalars, &found)
                }
                run = found
                following = number
            }
            state = following
            if state == PatternStates.dead { return false }
        }
        return states.isAccepting(state)
    }

    /// Matches the rest of a text without the table.
    private func matches(_ rest: inout String.UnicodeScalarView.Iterator, _ run: inout PatternRun) -> Bool {
        while !run.places.isEmpty, let scalar = rest.next() { run.take(scalar.value) }
        return run.isAccepted
    }
}
