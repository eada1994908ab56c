import Foundation

@main
enum HowdahDemo {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp { return Screen.line(Arguments.usage) }
            try await Demo(arguments).run()
        } catch {
            Screen.error("howdah-demo: \(error)")
            exit(1)
        }
    }
}
