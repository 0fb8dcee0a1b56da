export function offerCharts(root: any): void;
