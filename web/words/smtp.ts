export const smtpWords = {
  title: 'SMTP',
  closed: 'The SMTP server is closed: MAILYARD_SMTP_PORT is empty.',
  scheme: 'Scheme',
  host: 'Host',
  port: 'Port',
  user: 'User',
  password: 'Password',
  mode: 'When is a message accepted?',
  modeHelp:
    'When the application gets its answer (250 in SMTP). What is stored is sent afterwards.',
  modes: {
    '': 'As Mailyard is set (MAILYARD_SMTP_MODE)',
    hybrid: 'Once the server has it, or once it is stored if the server is slow',
    queue: 'Once it is stored; a failure is reported to the sender later',
    direct: 'Only once the server has it; refusals are passed on',
  },
} as const
