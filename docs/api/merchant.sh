# The merchant "acme" of config/sandbox.yaml as a shell, for the examples of these pages: read into sh, bash or zsh with
#   . docs/api/merchant.sh
# It needs curl and openssl. PORT and CALLBACK_PORT are those that the sandbox was started with.

base=http://127.0.0.1:${PORT:-8080}/paynet
site=http://127.0.0.1:${CALLBACK_PORT:-8083}
key=B17F59B4-A7DC-41B4-8FF9-37D986B43D20
seconds_max=30

# sha1 TEXT...: the checksum over these texts, put together without anything between them.
sha1() { printf %s "$@" | openssl dgst -sha1 -r | cut -d' ' -f1; }

# percent TEXT: percent-encoded (RFC 3986), as far as the texts of these pages need it.
percent() { printf %s "$1" | sed 's/%/%25/g; s/:/%3A/g; s,/,%2F,g; s/=/%3D/g; s/&/%26/g; s/+/%2B/g'; }

# field NAME ANSWER: one field of an answer in form encoding. Ids and statuses hold nothing that is percent-encoded.
field() { printf '%s\n' "$2" | sed -n "s/^&*$1=//p"; }

# member NAME OBJECT: one member of a flat JSON object whose value holds no quote.
member() { printf '%s\n' "$2" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

# order_status CLIENT_ORDERID ORDERID [SERIAL]: how the order stands, or what one request came to.
order_status() {
  curl -sS "$base/api/v2/status/1001" -d login=acme -d "client_orderid=$1" -d "orderid=$2" -d "by-request-sn=${3-}" \
    -d "control=$(sha1 acme "$1" "$2" "$key")"
}

# await NAME REGEX CLIENT_ORDERID ORDERID [SERIAL]: asks until a field of the status fits, prints that answer; fails after $seconds_max.
await() {
  give_up_at=$(($(date +%s) + seconds_max))
  while [ "$(date +%s)" -lt "$give_up_at" ]; do
    seen=$(order_status "$3" "$4" "${5-}")
    if field "$1" "$seen" | grep -Eqx -- "$2"; then
      printf '%s\n' "$seen"
      return 0
    fi
    sleep 0.2
  done
  printf 'waited in vain; seen last:\n%s\n' "$seen" >&2
  return 1
}

# final CLIENT_ORDERID ORDERID [SERIAL]: asks until the status is final.
final() { await status 'approved|declined|filtered|error' "$@"; }

# paid OPERATION ENDPOINT CLIENT_ORDERID CVV [FIELD=VALUE]: a sale or preauth of 10.42 USD with a test card, as the page of sale has it in full.
# Waits until it is final, and sets `orderid`.
paid() {
  answer=$(curl -sS "$base/api/v2/$1/$2" -d "client_orderid=$3" -d amount=10.42 -d currency=USD -d order_desc=Shoes \
    -d 'card_printed_name=JOHN SMITH' -d credit_card_number=4444333322221111 -d expire_month=12 -d expire_year=2035 -d "cvv2=$4" \
    -d 'address1=12 Main Street' -d city=Springfield -d zip_code=12345 -d country=US -d state=CA -d email=john.smith@example.com \
    -d phone=12025550123 -d ipaddress=192.0.2.10 -d "${5-merchant_data=}" \
    -d "control=$(sha1 "$2" "$3" 1042 john.smith@example.com "$key")")
  orderid=$(field paynet-order-id "$answer")
  final "$3" "$orderid" > /dev/null
}
