import Testing

/// The entry point of the test bundle on Linux, as in the library's own tests: without this file, SwiftPM looks for
/// tests of XCTest in an index, which the build does not write.
@main
struct TestBundle {
    static func main() async {
        guard CommandLine.arguments.contains("swift-testing") else {
            return print("No tests of XCTest. Run the others with --testing-library swift-testing.")
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
