import type { FaultCode } from './fault.ts'

const tryAgain = 'Try again later.'
const checkKey =
  'Check the key in the DSN, its permissions, and the region or domain that it belongs to.'

/** The hint of each fault when there is no better one. Every fault has a hint. */
export const generalHints: Record<FaultCode, string> = {
  host_not_found: 'Check the host in the DSN.',
  lookup_failed: 'Check the DNS server of this machine, and try again.',
  address_blocked: 'Use another server, or ask the operator of Mailyard to allow the address.',
  port_blocked: 'Use port 587, 465 or 25.',
  source_forbidden: 'Leave source_ip out, or use an address of this machine.',
  connection_refused: 'Check host and port.',
  no_answer: 'Check host and port; a firewall may drop the connection.',
  unreachable: 'Check the host, and the network of this machine.',
  tls_not_spoken:
    'Check the port: 465 speaks TLS from the start (smtps://), 587 and 25 do not (smtp://).',
  certificate_untrusted:
    'Have the server use a certificate of a public authority, or set peer_fingerprint.',
  certificate_wrong_name: 'Use the host name that the certificate was issued for.',
  certificate_expired:
    'Have the certificate of the server renewed, and check the clock of this machine.',
  certificate_wrong_fingerprint: 'Check peer_fingerprint; the certificate may have been renewed.',
  tls_outdated: 'Have the server speak TLS 1.2 or newer.',
  tls_failed: 'Try another port (587 or 465); the log of the server may say more.',
  starttls_missing: 'Use smtps:// with port 465, or another port.',
  starttls_refused: 'Try again later, or use smtps:// with port 465.',
  greeting_missing: 'Check the port; one that expects TLS from the start needs smtps://.',
  greeting_busy: tryAgain,
  greeting_refused:
    'The address of this machine may be on a block list, or must be allowed at the server.',
  not_smtp: 'Check the port: 587, 465 or 25 for a mail server.',
  name_refused: 'Set local_domain to the name of this machine.',
  login_not_offered: 'Use another port (587 or 465), or remove user and password.',
  token_refused:
    'Check that the application may send as this mailbox, and that the server accepts OAuth log-ins.',
  login_refused: 'Check the user name and the password.',
  login_unavailable: tryAgain,
  password_missing: 'Enter a password, or remove the user name.',
  login_required: 'Add user name and password to the DSN.',
  tls_required: 'Use smtps:// or port 587.',
  address_invalid: 'Correct the address; one looks like ann@example.com.',
  utf8_unsupported: 'Use an address in plain ASCII, or a server that has SMTPUTF8.',
  too_many_recipients: 'Send the message in parts, to fewer recipients each.',
  sender_refused: 'Verify the domain or the sender there, or send from another address.',
  relay_denied: 'Log in (user and password in the DSN), or have our address allowed there.',
  recipient_unknown: 'Check the address.',
  recipient_refused:
    'The reply of the server says why. Try another recipient, to see whether it refuses only this one.',
  recipient_deferred: 'Try again later; servers often defer a first message (greylisting).',
  too_large: 'Send smaller attachments, or link to them.',
  message_refused:
    'The reply of the server says why: often its spam filter, a policy, or a sender whose domain lacks SPF or DKIM. Correct that, or ask its operator.',
  deferred: 'This is temporary; try again later.',
  throttled: 'Sending limit reached; slow down with max_per_second.',
  server_busy: tryAgain,
  server_fault: "Try again later; the server's log or status page says more.",
  connection_closed: 'Try again; if it happens every time, the reason is in the log of the server.',
  stalled: 'Try again later; the server is overloaded or the network loses packets.',
  protocol_violated: 'A proxy or firewall may change the connection; check the log of the server.',
  cancelled: 'Send it again.',
  lease_expired: 'Look whether it was delivered meanwhile; if not, send it again.',
  transport_closed: 'Send it again; the transport was changed or Mailyard is stopping.',
  members_out: 'Test each member of the list on its own.',
  credentials_refused: checkKey,
  quota_exceeded: "Check the account's plan, balance and sending limits at the provider.",
  redirected: 'Check the host in the DSN; "default" is the provider\'s own.',
  answer_unreadable: "Look for the message in the provider's log before sending it again.",
}
