import Foundation
import LocalPostgres

// Plays the owner of a cluster: starts one in the folder named by the argument, prints where it is, and ends in
// the way the next line of its input asks for. With the word again it starts the server a second time, with
// standby it has a standby too, which it prints. The tests kill it.
let parent = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
let word = CommandLine.arguments.dropFirst(2).first
let cluster: LocalCluster
var standby: LocalCluster?
do {
    cluster = try LocalCluster.start(
        in: parent, settings: word == "standby" ? LocalCluster.replicationSettings : [:])
    if word == "again" {
        cluster.stopServer(.immediate)
        try cluster.startServer()
    }
    if word == "standby" { standby = try cluster.startStandby() }
} catch {
    print("failed \(error)")
    exit(1)
}
print((standby ?? cluster).directory.path(percentEncoded: false))
print((standby ?? cluster).serverProcessID ?? 0)
fflush(nil)
switch readLine() {
case "stop": cluster.stop()
case "exit": exit(0)
default: break
}
