# A complete small bot for the Naqala arena. Write your own choose (lib/choose.rb); lib/client.rb keeps the stream alive and
# reconnects when it is lost. The first Ctrl-C finishes the running matches, the second stops at once.
require "socket"
require_relative "lib/client"

token = ENV.fetch("ARENA_TOKEN", "")
abort "set ARENA_TOKEN to the token from your bot's page" if token.empty?
begin
  client = Client.new(
    server: ENV.fetch("ARENA_SERVER", "127.0.0.1:50051"),
    token: token,
    # It must be the same after a restart: token and process name together get the running matches back.
    process: ENV.fetch("ARENA_PROCESS") { "#{Socket.gethostname}-ruby" }
  )
rescue ArgumentError => e
  warn e.message
  exit!(2)
end
told = 0
%w[INT TERM].each { |signal| trap(signal) { (told += 1) > 1 ? exit!(130) : client.leave } }
exit!(client.run ? 0 : 1) # decisions still being computed are not waited for
