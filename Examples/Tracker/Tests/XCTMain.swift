import Testing

/// The entry point of the test bundle on Linux.
///
/// Without this file, the package manager looks for tests of XCTest in the index. There are none, so the build needs no
/// index. `swift test` then runs the bundle for XCTest only, without arguments: that runs all tests. To choose some, use
/// `swift test --enable-swift-testing --disable-xctest --filter NAME`.
@main
struct TestBundle {
    static func main() async {
        // `swift test --filter` asks for a list of XCTest's tests. There are none, and then it runs all tests too.
        if CommandLine.arguments.contains("--dump-tests-json") { return print(#"{"tests":[],"name":""}"#) }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
