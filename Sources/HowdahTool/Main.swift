import ArgumentParser
import HowdahCommands

@main
enum Main {
    static func main() async { await HowdahCommand.main() }
}
