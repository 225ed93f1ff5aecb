/** What 250 means over SMTP: accepted by the server of the transport, stored, or whichever comes first. */
export const smtpModes = ['hybrid', 'queue', 'direct'] as const

export type SmtpMode = (typeof smtpModes)[number]
