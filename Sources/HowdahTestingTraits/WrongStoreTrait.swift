/// The error of a test whose store trait has a number that it cannot have.
struct WrongStoreTrait: Error, CustomStringConvertible {
    private let argument: String
    private let number: Int

    init(_ argument: String, _ number: Int) {
        self.argument = argument
        self.number = number
    }

    var description: String {
        "\(argument.prefix(1).uppercased())\(argument.dropFirst()) of the trait .store(model) is \(number). Set it to 0 or more."
    }
}
