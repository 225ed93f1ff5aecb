import { formatNumber } from '../lib/format.ts'

const contacts = (count: number) => (count === 1 ? '1 contact' : `${formatNumber(count)} contacts`)

/** The words of the screens of broadcasts. */
export const broadcastWords = {
  title: 'Broadcasts',
  one: (id: number) => `Broadcast ${formatNumber(id)}`,
  all: 'All broadcasts',
  add: 'New broadcast',
  empty: 'No broadcast yet. A broadcast sends an email to all contacts of a segment.',
  noMatch: 'No broadcast has this state.',
  task: 'What to do when an email went to the wrong segment',
  email: 'Email',
  segment: 'Segment',
  chosen: 'Chosen contacts',
  state: 'State',
  progress: 'Progress',
  started: 'Created',
  states: { running: 'Running', paused: 'Paused', cancelled: 'Cancelled', done: 'Done' },
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
  nextAttempt: 'All that wait are retried; next',
  finished: 'Finished',
  by: 'Created by',
  live: 'Live',
  polling: 'Refreshed every few seconds',
  skipped: 'Left out',
  skippedReasons: {
    alreadySent: 'got this email before, or may have got it',
    suppressed: 'are suppressed',
    beingSent: 'wait in another broadcast of this email',
    withoutAddress: 'have no address',
    unpublished: 'are unpublished',
    deleted: 'were deleted',
  },
  pause: 'Pause',
  resume: 'Resume',
  continue: 'Continue',
  continueTitle: (left: number) => `Continue, and send to ${contacts(left)}?`,
  continueText:
    'The brake counts from here. It pauses the broadcast again if 20 % or more of at least 50 attempts are refused for good.',
  cancel: 'Cancel the broadcast',
  cancelTitle: (left: number) => `Cancel, and leave out ${contacts(left)}?`,
  cancelText: 'Those who wait do not get the email. A cancelled broadcast cannot be resumed.',
  retry: (count: number) =>
    count === 1
      ? 'Send to the refused recipient again'
      : `Send to ${formatNumber(count)} refused recipients again`,
  retried: (retried: number, skipped: number) =>
    `${contacts(retried)} queued again${skipped === 0 ? '' : `; ${formatNumber(skipped)} left out`}.`,
  refusedTitle: 'Refused recipients',
  recipient: 'Recipient',
  reason: 'Reason',
  time: 'Time',
  contact: (id: number) => `Contact ${formatNumber(id)}`,
  newest: 'First',
  next: 'Next',
  uncertainLink: 'Decide the uncertain deliveries',
  deliveries: 'All its deliveries',
  create: {
    email: 'Email',
    emailHelp: 'Published emails are offered.',
    segment: 'Segment',
    counting: 'Counting the recipients.',
    recipients: (count: number, isComplete: boolean) =>
      isComplete
        ? `The email reaches ${contacts(count)}.`
        : `The email reaches more than ${contacts(count)}.`,
    leftOut: (count: number, reason: string) => `${formatNumber(count)} ${reason}.`,
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
