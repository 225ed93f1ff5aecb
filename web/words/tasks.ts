/** The titles of the pages about the tasks of an operator, by their names in `docs/tasks/`. */
export const taskTitles = {
  'a-password-stops-working': 'What to do when a password stops working',
  'a-provider-is-down': 'What to do when a provider is down',
  'add-a-brand': 'How to add a brand',
  'be-believed': 'How to be believed',
  'connect-a-mautic': 'How to connect a Mautic',
  'give-a-colleague-one-brand': 'How to give a colleague one brand',
  'go-to-production': 'How to go to production',
  'if-this-disk-dies': 'What to do if its disk fails',
  'jane-did-not-get-her-mail': 'What to do when an email did not arrive',
  'leave-mailyard': 'How to go back to direct sending',
  'move-a-brand-to-another-provider': 'How to move a brand to another provider',
  'move-to-oauth': 'How to move to OAuth',
  'sent-to-the-wrong-people': 'What to do when an email went to the wrong people',
  'warm-up': 'How to warm up a new sender',
} as const

export type TaskName = keyof typeof taskTitles
