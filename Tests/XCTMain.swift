import Testing

/// The entry point of the test bundle on Linux.
///
/// Without this file, SwiftPM writes one that looks for XCTest's tests in the index, which takes a fifth of the
/// build. Howdah has none of them. `swift test` runs the bundle once for each of the two libraries, and says
/// `--testing-library swift-testing` the second time.
@main
struct TestBundle {
    static func main() async {
        guard CommandLine.arguments.contains("swift-testing") else {
            return print("No tests of XCTest. Run the others with --testing-library swift-testing.")
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
