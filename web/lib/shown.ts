import { signal } from '@preact/signals'

/** The dialog of the shell that is open: search, list of keys, or settings of this browser. */
export const openDialog = signal<'find' | 'keys' | 'settings'>()

/** The screen from which the reader came to the help. */
export const beforeHelp = signal<{ href: string; label: string }>()
