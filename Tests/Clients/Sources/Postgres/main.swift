import PQClient

let configuration = try ConnectionConfiguration("postgres://app@localhost/shop")
var parameters = Parameters()
try parameters.append("bolt")
print(SQLIdentifier.quoted("shop", "part"), parameters.count, configuration["user"] ?? "nobody")
