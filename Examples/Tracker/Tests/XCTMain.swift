import Testing

/// The entry point of the test bundle on Linux.
///
/// Without this file, the package manager looks for tests of XCTest in the index. There are none, so the build needs no
/// index.
@main
struct TestBundle {
    static func main() async {
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
