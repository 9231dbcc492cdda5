# The messages of the protocol, generated from proto/ by `rake generate`.
$LOAD_PATH.unshift(File.expand_path("../gen", __dir__))
require "arena/wire/v1/bot_services_pb"

Wire = Arena::Wire::V1
