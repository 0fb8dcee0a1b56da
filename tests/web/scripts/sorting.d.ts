export function enliven(root: any): void;
