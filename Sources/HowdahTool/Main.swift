import ArgumentParser
import HowdahCommands

@main
enum Main {
    static func main() { HowdahCommand.main() }
}
