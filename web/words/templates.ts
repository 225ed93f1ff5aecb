import { counted, countedParts } from './format.ts'
import { labels, recordWords } from './records.ts'

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
  indirect: 'through another template',
  restoredNote: (version: number) => `Restored version ${version}`,
  sendTest: 'Send a test',
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
  variables: {
    about: 'What the code reads. Without a default, a missing variable prints nothing.',
    empty: 'The code reads no variables.',
    hasDefault: 'has a default',
    noDefault: 'no default',
    inLoop: 'in a loop',
    line: (line: number) => `Line ${line}`,
    show: (path: string, line: number) => `Show ${path} in line ${line}`,
  },
  dependents: {
    empty: 'No email and no other template uses this template.',
    emails: (count: number) => counted(count, 'email'),
    templates: (count: number) => counted(count, 'template'),
  },
} as const
