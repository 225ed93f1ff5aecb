import { formatNumber } from './format.ts'

const contacts = (count: number) => (count === 1 ? '1 contact' : `${formatNumber(count)} contacts`)

/** The words of the screens of broadcasts. */
export const broadcastWords = {
  title: 'Broadcasts',
  one: (id: number) => `Broadcast ${formatNumber(id)}`,
  add: 'New broadcast',
  empty: 'No broadcast yet. A broadcast sends an email to all contacts of a segment.',
  noMatch: 'No broadcast matches.',
  task: 'What to do when an email went to the wrong segment',
  email: 'Email',
  deletedEmail: (id: number, name: string) => `${name || `Email ${id}`} (deleted)`,
  segment: 'Segment',
  chosen: 'Chosen contacts',
  progress: 'Progress',
  details: 'Details',
  started: 'Created',
  recipients: (count: number) =>
    count === 1 ? '1 recipient' : `${formatNumber(count)} recipients`,
  endsAt: 'ends',
  states: { running: 'Running', paused: 'Paused', cancelled: 'Cancelled', done: 'Done' },
  stateHelp: {
    running: 'Messages are being sent.',
    paused: 'Nothing is sent until a person continues.',
    cancelled: 'Those who waited do not get the email.',
    done: 'Every recipient was sent to, or is suppressed.',
  },
  partly: 'Done, not to all',
  partlyHelp: (refused: number, uncertain: number) =>
    `Every recipient was tried. ${formatNumber(refused)} were refused for good, and of ${formatNumber(uncertain)} it is uncertain whether they have the email.`,
  problem: 'Nothing is being sent.',
  preparing: 'Recipients are still being counted.',
  counts: {
    total: 'Recipients',
    remaining: 'Waiting',
    notReached: 'Not reached',
  },
  bar: (done: number, total: number) => `${formatNumber(done)} of ${formatNumber(total)} tried`,
  rate: 'Rate',
  perSecond: (rate: number) => `${formatNumber(Math.round(rate * 10) / 10)} per second`,
  end: 'Estimated end',
  nextAttempt: 'Next try of those that wait',
  finished: 'Finished',
  by: 'Created by',
  live: 'Live',
  polling: 'Refreshed every few seconds',
  skipped: 'Left out',
  leftOut: (count: number, reason: string) => `${reason}: ${formatNumber(count)}`,
  skippedReasons: {
    alreadySent: 'Got this email before, or may have got it',
    suppressed: 'Suppressed',
    beingSent: 'Waiting in another broadcast of this email',
    withoutAddress: 'Without an address',
    unpublished: 'Unpublished',
    deleted: 'Deleted',
  },
  pause: 'Pause',
  resume: 'Resume',
  continue: 'Continue',
  cancel: 'Cancel the broadcast',
  questions: {
    resume: (left: number) => `Continue, and send to ${contacts(left)}?`,
    cancel: (left: number) => `Cancel, and leave out ${contacts(left)}?`,
  },
  effects: {
    resume:
      'The brake counts from here. It pauses the broadcast again if too many attempts are refused for good, bounce or are complained about.',
    cancel: 'Those who wait do not get the email. A cancelled broadcast cannot be resumed.',
  },
  keep: { resume: 'Keep it paused', cancel: 'Keep them' },
  retry: (count: number) =>
    count === 1
      ? 'Send to the refused recipient again'
      : `Send to ${formatNumber(count)} refused recipients again`,
  retried: (retried: number, skipped: number) =>
    `${contacts(retried)} queued again${skipped === 0 ? '' : `; ${formatNumber(skipped)} left out`}.`,
  recipientsTitle: 'Recipients',
  noRecipient: 'No recipient has this state.',
  searchOn: 'Nothing among the first recipients. Continue with “Next”.',
  recipient: 'Recipient',
  reason: 'Reason',
  time: 'Time',
  contact: (id: number) => `Contact ${formatNumber(id)}`,
  newest: 'First',
  next: 'Next',
  queueLink: 'Its recipients in the queue',
  uncertainLink: 'Decide the uncertain deliveries',
  deliveries: 'All its deliveries',
  create: {
    email: 'Email',
    emailHelp: 'Published emails are offered.',
    segment: 'Segment',
    recipients: (count: number, isComplete: boolean) =>
      isComplete
        ? `The email reaches ${contacts(count)}.`
        : `The email reaches more than ${contacts(count)}.`,
    transport: 'Sent through',
    defaultTransport: 'Default transport',
    noTransport: 'No transport. The recipients wait until the email has one.',
    tests: { none: 'Not tested', passed: 'Passed its last test', failed: 'Failed its last test' },
    failing: 'Fails',
    unused: 'Nothing was sent through it in the last 24 hours.',
    lastDay: (rate: { accepted: number; refused: number; deferred: number }) =>
      `In the last 24 hours: ${formatNumber(rate.accepted)} accepted, ${formatNumber(rate.refused)} refused, ${formatNumber(rate.deferred)} deferred.`,
    ownerHelp: 'If the owner of a contact has a transport, the email may be sent through that one.',
    preview: 'Preview',
    noPreview:
      'Choose an email. This shows how it looks, who sends it, and the health of its transport.',
    subject: 'Subject',
    from: 'From',
    to: 'To',
    test: 'Send a test to yourself',
    testHelp: (address: string) => `A test goes to ${address}, through the transport of the email.`,
    noAddress: 'Your user has no email address that a test could be sent to.',
    send: (count: number) => `Send to ${contacts(count)}`,
    sendAll: 'Send to all',
    none: 'There is no contact to send to.',
    confirm: (email: string, count: number) => `Send “${email}” to ${contacts(count)}?`,
    confirmMany: (email: string, segment: string) => `Send “${email}” to all of “${segment}”?`,
    untested: 'You have not sent a test to yourself yet.',
    tested: 'You have sent a test to yourself.',
    confirmText: 'Sending begins at once. It can be paused and cancelled.',
    action: 'Send now',
    notAllowed: 'You may not send emails.',
  },
} as const
