import { counted, formatNumber, formatShare } from './format.ts'
import { labels, recordWords } from './records.ts'

const stageNames = {
  parse: 'Read the DSN',
  resolve: 'Find the server',
  connect: 'Connect',
  tls: 'Encrypt',
  greeting: 'Greeting',
  ehlo: 'EHLO',
  token: 'Access token',
  auth: 'Log in',
  sender: 'Sender',
  recipient: 'Recipient',
  data: 'Message',
  request: 'Request',
} as const

export const transportWords = {
  ...recordWords('a transport'),
  assigned: (emails: number, users: number) =>
    `Assigned to ${counted(emails, 'email')} and ${counted(users, 'user')}`,
  share: (share: number) => `${formatShare(share, 1)} accepted`,
  list: {
    empty:
      'No transport yet. A transport is a mail server or provider that Mailyard sends through.',
    server: 'Provider',
    lastTest: 'Last test',
    day: 'Last 24 hours',
    activity: (total: number, refused: number) =>
      `${counted(total, 'delivery', 'deliveries')} in the last 24 hours, ${formatNumber(refused)} of them failed`,
    assignments: 'Assignments',
    warnings: (count: number) => counted(count, 'warning'),
    deleteText:
      'Emails that used them are sent through the next transport of their route. Deleted transports can be restored for some time.',
  },
  editor: {
    copyName: (name: string) => `Copy of ${name}`,
    labels: {
      ...labels,
      mailerDsn: 'DSN',
      testedEmailFrom: 'Sender of test messages',
    },
    help: {
      isPublished: 'Routes skip an unpublished transport.',
      testedEmailFrom: 'Empty for the sender in the settings.',
      brand: 'A transport of a brand sends its messages only.',
    },
    testAndSave: 'Test and save',
    saveUntested: 'Save without a test',
    testedTo: (recipient: string) => `The test message is sent to ${recipient}.`,
    changeAddress: 'Change your address',
    noRecipient:
      'You have no email address, so there is no recipient of the test message. Fill in the sender of test messages: the message is sent there.',
    duplicate: 'Duplicate',
    deliveries: 'Show the deliveries',
  },
  test: {
    title: 'Test',
    help: 'Sends a message through exactly these values, saved or not. Only a test of what is saved is kept as the last test.',
    to: 'To',
    send: 'Send a test',
    cancel: 'Cancel the test',
    cancelled: 'The test was cancelled.',
    transcript: 'Transcript',
    stages: stageNames,
    goTo: (label: string) => `Go to “${label}”`,
    theField: 'the field',
    failedAt: (stage: string) =>
      `${(stageNames as Readonly<Record<string, string>>)[stage] ?? stage}:`,
    last: 'Last test',
    never: 'Not tested',
    inUse: 'In use',
    inUseHelp: 'It was not tested, and has accepted messages in the last 24 hours.',
    passed: 'Passed',
    failed: 'Failed',
  },
} as const
