internal import Foundation

extension String {
    /// The name in lower case with underscores between its words, and instead of everything that is no letter,
    /// digit or mark: `firstName` becomes `first_name`, `HTTPServer` becomes `http_server`.
    package var snakeCased: String {
        var result = ""
        let scalars = Array(precomposed.unicodeScalars)
        for (position, scalar) in scalars.enumerated() {
            guard scalar.isPartOfWord else {
                result += "_"
                continue
            }
            let isUpper = scalar.properties.isUppercase
            if isUpper, position > 0, scalars[position - 1].isPartOfWord, scalars[position - 1] != "_" {
                let followsLower = !scalars[position - 1].properties.isUppercase
                let precedesLower =
                    position + 1 < scalars.count && scalars[position + 1].properties.isLowercase
                if followsLower || precedesLower { result += "_" }
            }
            result += isUpper ? scalar.properties.lowercaseMapping : String(scalar)
        }
        return result.precomposed
    }
}

extension Unicode.Scalar {
    fileprivate var isPartOfWord: Bool {
        if self == "_" { return true }
        return switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark:
            true
        default: false
        }
    }
}
