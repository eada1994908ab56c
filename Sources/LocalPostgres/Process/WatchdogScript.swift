/// The program of the watchdog: `sh` runs it between us and the server.
///
/// Arguments: the folder, the superuser's name, the folder of the binaries, then the words that run a command
/// as the server's account. Standard input is the line to the owner, descriptor 3 the folder's lock, which
/// the server inherits.
///
/// The server is the watchdog's child and not ours, so that there is no moment at which a killed owner leaves
/// a server nobody looks after; this holds for `initdb` too. Two processes share the work: the listener
/// turns lines (and the end of the line) into signals, the main one waits for the server, tells the owner,
/// and deletes the folder when the owner lets go of the line. Hang-ups and interrupts are for the owner to
/// answer; the watchdog outlives them.
enum WatchdogScript {
    static let text = """
        folder=$1 user=$2 binaries=$3
        shift 3
        trap '' HUP INT TERM PIPE
        cd /
        exec 4<&0 0</dev/null

        clear() {
            rm -rf "$folder/data" && rm -rf "$folder"
        }

        finish() {
            echo "ended $1" >&4
            while read -r line <&4; do :; done
            clear
            exit "$1"
        }

        # An owner that has let go needs no orderly end. Repeated, as a server that was forked
        # a moment ago still ignores signals.
        abandon() {
            tries=0
            while kill -s 0 "$server"; do
                if [ "$tries" -lt 100 ]; then kill -s QUIT "$server"; else kill -s KILL "$server"; fi
                tries=$((tries + 1))
                sleep 0.1
            done 2>/dev/null
            clear
        }

        listen() {
            while read -r mode <&4; do
                case $mode in
                    smart) kill -s TERM "$server" ;;
                    fast) kill -s INT "$server" ;;
                esac
            done
            abandon
        }

        "$@" "$binaries/initdb" --pgdata="$folder/data" --username="$user" --auth=trust \\
            --encoding=UTF8 --locale=C --no-sync 4<&- || finish 1
        "$@" "$binaries/postgres" -D "$folder/data" -c config_file="$folder/server.conf" 4<&- &
        server=$!
        listen &
        listener=$!
        wait "$server"
        status=$?
        kill -s KILL "$listener"
        finish "$status"
        """
}
