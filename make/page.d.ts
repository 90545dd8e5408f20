// What the page's scripts hand to each other, and what other scripts leave for them.
declare var attention: any;
declare var courseFinder: any;
declare var courseNames: string[] | undefined;
declare var courseProgress: any;
declare var courseSections: any[];
declare var live: any;
declare var liveKinds: (() => void)[] | undefined;
declare var playColors: Record<string, string>;
declare var playTheme: any;
declare var stageAnswer: any;
declare var stageParts: any;
declare var stageRows: any;
declare var stageTable: any;
declare var stageViews: Record<string, any>;
declare var vegaEmbed: any;
declare var wordPiece: any;
declare var MiniSearch: any;
