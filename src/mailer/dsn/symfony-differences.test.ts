/** Where this parser knowingly differs from Symfony Mailer 7.4, and why. Keys are DSNs. */
export const refusedHere: Readonly<Record<string, string>> = {
  'smtp://mail%2Eexample.com:587':
    'A host is not decoded, so the name with "%2E" in it exists nowhere.',
  'smtp://:pass@mail.example.com:587':
    'Symfony sends without a log-in and says nothing of the password.',
  'smtp://user:pa%0D%0ass@mail.example.com:587': 'A line end in a password can carry commands.',
  'smtp://user:pa\nss@mail.example.com:587':
    'Symfony makes the line feed "_": a password that nobody has.',
  'smtp://user:8080/x@mail.example.com:587':
    'Symfony connects to a host named "user", and the password is lost on it.',
  'smtp://mail.example.com:25x': 'A port with letters is a slip, not a port.',
  'smtp://h.example.com?verify_peer=garbage': 'A slip would turn the verification off.',
  'smtp://h.example.com?verify_peer[]=1': 'An array would turn the verification off.',
  'smtp://h.example.com:587?require_tls=true&auto_tls=0': 'The two contradict each other.',
  'smtp://h.example.com:587?local_domain=a%0D%0AMAIL%20FROM:x': 'It is an SMTP command.',
  'smtp://h.example.com:587?local_domain=a;ping_threshold=3':
    'Its author took ";" for a separator; no host has that name.',
  'sendmail://default': 'It runs a command of this machine; the operator names it or nobody.',
  'sendmail://default?command=/usr/sbin/sendmail%20-oi%20-t': 'It runs any command.',
  'sendmail://default?command=/usr/sbin/sendmail%20-bs': 'It runs any command.',
  'sendmail://default?command=touch%20pwned%20-t': 'It runs any command.',
  'failover(smtp://a.example.com:25,smtp://b.example.com:25)':
    'Symfony reads one member whose host is "a.example.com:25,smtp".',
  'sendgrid+smtp://apikey:SG.a.b@default': 'Symfony takes the word "apikey" for the key.',
}

/** Symfony 7.4 without further bridges refuses these. */
export const acceptedHere: Readonly<Record<string, string>> = {
  'mautic+ses+api://KEY:SECRET@default?region=eu-central-1': 'A plug-in of Mautic has the scheme.',
  'sendinblue+smtp://U:P@default': 'Symfony 5.4, which Mautic 5 uses, has the scheme.',
  'sendinblue+api://KEY@default': 'Symfony 5.4, which Mautic 5 uses, has the scheme.',
  'ahasend+api://KEY@default': 'Later bridges of Symfony have the scheme.',
}

/** Accepted by both with another meaning here. */
export const otherwiseHere: Readonly<Record<string, string>> = {
  'smtp://h.example.com:587?local_domain=':
    'An empty EHLO name is refused by servers; it counts as not given.',
  'roundrobin(failover(smtp://a.example.com:25 smtp://b.example.com:25)?retry_period=15 smtp://c.example.com:25)':
    'Symfony drops every member after a nested retry_period.',
  'mailersend+smtp://U:P@default':
    'Symfony asks for implicit TLS on 587, where the server speaks STARTTLS.',
  'azure+api://RESOURCE:a2V5@default?disable_tracking=false': 'Symfony takes "false" for true.',
}
