import { counted, countedParts, formatNumber } from './format.ts'
import { labels, recordWords } from './records.ts'

/** The words of the screens of templates. */
export const templateWords = {
  ...recordWords('a template'),
  labels: {
    ...labels,
    template: 'Code',
    changeNote: 'Note on this change (optional)',
  },
  usage: {
    usedBy: 'Used by',
    none: 'Nothing',
    count: ({ emails, templates }: { emails: number; templates: number }) =>
      countedParts({ email: emails, template: templates }).join(', '),
  },
  empty:
    'No template yet. A template is a part of emails in Twig, such as a greeting or a footer, that many emails share.',
  unsaved: 'Unsaved changes',
  deleteText: 'Deleted templates can be restored for some time, with their versions.',
  changeNames: (named: readonly string[]) =>
    `Other templates have the same name: ${named.slice(0, 5).join(', ')}${named.length > 5 ? ', …' : ''}. The name may mean another template then, in every email that includes it by name. Open a template to see what changes.`,
  same: 'No difference.',
  deprecated: 'Deprecated.',
  replaceWith: (name: string) => `Replace with "${name}"`,
  jsonFault: 'The JSON of the preview has a mistake. Correct it under "Data".',
  keys: 'Ctrl+Space completes, F8 goes to the next mark, Ctrl+S saves, Ctrl+F searches.',
  paneChoice: 'Beside the code',
  panes: {
    preview: 'Preview',
    data: 'Data',
    variables: 'Variables',
    versions: 'Versions',
    dependents: 'Used by',
  },
  remarks: {
    title: 'Faults and warnings',
    place: (line: number, column: number) => `Line ${line}:${column}`,
  },
  conflict: {
    title: 'Concurrent change',
    theirs: 'Saved by someone else',
    mine: 'In your editor',
  },
  preview: {
    title: 'Preview',
    views: 'View',
    viewNames: { html: 'HTML', text: 'Text', source: 'Source' },
    phone: 'Phone width',
    dark: 'Dark',
    with: (contact: string) => `As for ${contact}.`,
    withJson: 'With the variables of the tab “Data”.',
    blocked: (count: number) =>
      counted(
        count,
        'image or file of another server is not loaded here.',
        'images or files of other servers are not loaded here.',
      ),
  },
  data: {
    kind: 'Render with',
    kinds: { json: 'JSON', contact: 'A contact' },
    contact: 'Contact',
    contactHelp: 'Type a name or an address, then choose the address.',
    json: 'Variables as JSON',
    otherJson: 'Other variables as JSON',
    kept: 'Kept in this browser, for this template.',
    addVariables: 'Add the variables of the template',
  },
  variables: {
    about: 'What the code reads. Without a default, a missing variable prints nothing.',
    empty: 'The code reads no variables.',
    hasDefault: 'has a default',
    noDefault: 'no default',
    inLoop: 'in a loop',
    line: (line: number) => `Line ${line}`,
    show: (path: string, line: number) => `Show ${path} in line ${line}`,
    insert: 'Insert',
    insertPath: (path: string) => `Insert ${path}`,
  },
  versions: {
    name: (version: number) => `Version ${version}`,
    title: (version: number) => `Compare version ${version}`,
    current: 'Current',
    compare: 'Compare',
    compareName: (version: number) => `Compare version ${version}`,
    compareWith: 'Compare with',
    editing: 'In the editor',
    restore: 'Restore',
    restoreName: (version: number) => `Restore version ${version}`,
    replaceTitle: (version: number) => `Restore version ${version}?`,
    replaceText: 'It replaces your changes on this page, which are not saved.',
    restoredNote: (version: number) => `Restored version ${version}`,
    lines: (added: number, removed: number) =>
      `${counted(added, 'line')} added, ${formatNumber(removed)} removed`,
  },
  dependents: {
    empty: 'No email and no other template uses this template.',
    emails: (count: number) => counted(count, 'email'),
    templates: (count: number) => counted(count, 'template'),
  },
  impact: {
    title: 'What this change does',
    progress: (count: number, total: number) =>
      total === 0
        ? 'Rendering the emails and templates that use it'
        : `${formatNumber(count)} of ${formatNumber(total)} rendered`,
    summary: (changed: number, total: number) =>
      `${formatNumber(changed)} of ${formatNumber(total)} change, this template included.`,
    breaks: (count: number) =>
      count === 1
        ? 'One of them can no longer be rendered.'
        : `${formatNumber(count)} of them can no longer be rendered.`,
    same: (count: number) => `${formatNumber(count)} stay the same`,
    others: (count: number) =>
      count === 1
        ? 'and 1 more change in the same way'
        : `and ${formatNumber(count)} more change in the same way`,
    othersTitle: (count: number) =>
      count === 1 ? 'The other one' : `The other ${formatNumber(count)}`,
    states: { changes: 'Changes', breaks: 'Breaks' },
    kinds: { email: 'Email', template: 'Template' },
    indirect: 'through another template',
    views: 'Before and after',
    viewNames: { look: 'Appearance', code: 'Differences' },
    before: 'Before',
    after: 'After',
    subject: (subject: string) => `Subject: ${subject}`,
    notRendered: 'It cannot be rendered.',
    save: 'Save the change',
  },
  test: {
    open: 'Send a test',
    title: 'Send as a test',
    about: 'Sends what is in the editor, rendered with the data of the preview.',
    transport: 'Transport',
    transportHelp: 'Type a part of its name, then choose it.',
    to: 'To',
    subject: 'Subject',
    send: 'Send the test',
  },
} as const
