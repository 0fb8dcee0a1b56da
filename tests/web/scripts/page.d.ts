// What the type check of the page's scripts takes for granted: elements are found by selectors, so their kind is not known to it,
// and three scripts are made by the server from those of the reports. Names, imports, arguments and what is unused are checked.
interface ParentNode { querySelector(selector: string): any; querySelectorAll(selector: string): any }
interface Element { closest(selector: string): any }
interface Document { getElementById(id: string): any }
interface EventTarget { closest(selector: string): any; value: any; files: any }
interface PerformanceEntry { type: string }
interface Window { outscoreExplorer(): void }
